// Random values from [-1, 1) with a few values that drivers seldom meet.
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

  // Ordinary values are from [-scale, scale). In about half of the arrays others are sown among them: zeros or
  // denormals up to a quarter of all values, the others at most three, as a NaN or an infinity reaches many outputs.
  void fill(std::span<float>, float scale = 1);
  void fill(PlainTensors&);  // all f32 tensors
  // Fills one tensor, if the problem has it.
  void fill(PlainTensors&, std::string_view name, float scale = 1);
  // Fills an i32 tensor with values from low to high, both included.
  void fill_whole(PlainTensors&, std::string_view name, int low, int high);

 private:
  float sown_value();
  std::size_t up_to(std::size_t most) { return random_() % (most + 1); }

  Sown sown_;
  std::mt19937 random_;
};

// Call these within rc::check(). random_sown() is mostly not `nothing`.
Sown random_sown();
unsigned random_seed();

// Tensors full of NaN, so that an element that is never written shows.
PlainTensors unwritten(std::vector<TensorInfo>);

}  // namespace brickwork::oracle
