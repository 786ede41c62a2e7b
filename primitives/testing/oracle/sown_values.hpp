// Values from [-1, 1), among which a few are sown that drivers seldom meet.
#pragma once
#include <random>
#include <span>
#include <string_view>

#include "primitives/op/plain_tensors.hpp"

namespace brickwork::oracle {

enum class Sown { nothing, zeros, denormals, huge, infinities, nans, all };
constexpr std::string_view to_string(Sown sown) {
  constexpr std::string_view names[] = {"nothing", "zeros", "denormals", "huge", "infinities", "nans", "all"};
  return names[static_cast<int>(sown)];
}

class SownValues {
 public:
  SownValues(Sown sown, unsigned seed) : sown_(sown), random_(seed) {}

  // `scale` is that of the values among which others are sown, in every second array. Zeros and denormals are up to a
  // quarter of all; a NaN and an infinity reach so many outputs that there are three at most.
  void fill(std::span<float>, float scale = 1);
  void fill(PlainTensors&);  // every tensor of f32
  // Of a tensor of the problem; nothing where the problem does without.
  void fill(PlainTensors&, std::string_view name, float scale = 1);
  // From low to high, both of them, of a tensor of i32.
  void fill_whole(PlainTensors&, std::string_view name, int low, int high);

 private:
  float sown_value();
  std::size_t up_to(std::size_t most) { return random_() % (most + 1); }

  Sown sown_;
  std::mt19937 random_;
};

// To be called within rc::check(): mostly something.
Sown random_sown();
unsigned random_seed();

// Full of NaN, so that what is never written shows.
PlainTensors unwritten(std::vector<TensorInfo>);

}  // namespace brickwork::oracle
