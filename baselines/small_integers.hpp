// Inputs whose products and sums f32 holds exactly, so that every correct result is bit for bit the same.
#pragma once
#include <cstddef>
#include <random>
#include <vector>

namespace brickwork {

inline std::vector<float> small_integers(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> values(-3, 3);
  std::vector<float> result(size);
  for (float& x : result) x = static_cast<float>(values(generator));
  return result;
}

}  // namespace brickwork
