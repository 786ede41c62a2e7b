// Random numbers whose sequence the standard fixes: by way of no distribution and no std::shuffle, in which libraries
// differ.
#pragma once
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace brickwork {

class Random {
 public:
  explicit Random(std::uint32_t seed) : numbers_(seed) {}

  // From 0 on, each as likely.
  std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t whole = (std::uint64_t{1} << 32) / bound * bound;  // beyond it some numbers would be likelier
    for (;;) {
      const auto number = static_cast<std::uint32_t>(numbers_());
      if (number < whole) return number % bound;
    }
  }

  float between(float least, float most) {
    const float share = static_cast<float>(numbers_() >> 8) * 0x1p-24F;
    return least + share * (most - least);
  }

  // Fisher and Yates'.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t last = values.size(); last-- > 1;) {
      std::swap(values[last], values[below(static_cast<std::uint32_t>(last + 1))]);
    }
  }

 private:
  std::mt19937 numbers_;
};

}  // namespace brickwork
