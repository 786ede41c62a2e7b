// Random numbers that are the same with every standard library: C++ fixes the sequence of std::mt19937, but neither the
// distributions nor std::shuffle.
#pragma once
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace brickwork {

class Random {
 public:
  explicit Random(std::uint32_t seed) : numbers_(seed) {}

  // Uniform in [0, bound).
  std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t whole = (std::uint64_t{1} << 32) / bound * bound;  // larger numbers would favour small results
    for (;;) {
      const auto number = static_cast<std::uint32_t>(numbers_());
      if (number < whole) return number % bound;
    }
  }

  float between(float least, float most) {
    const float share = static_cast<float>(numbers_() >> 8) * 0x1p-24F;
    return least + share * (most - least);
  }

  // Fisher-Yates shuffle.
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
