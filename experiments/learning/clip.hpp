// Clips gradients by their norm (Pascanu et al., arXiv 1211.5063): the gradients of a few sequences explode, and one
// step along such a gradient would undo many others.
#pragma once
#include <cmath>
#include <span>

namespace brickwork {

// Returns the norm of all gradients together, summed in their order. A norm above `most` is scaled down to `most`.
inline double clip_by_norm(std::span<float> gradients, double most) {
  double squares = 0;
  for (const float gradient : gradients) squares += double{gradient} * double{gradient};
  const double norm = std::sqrt(squares);
  if (norm > most) {
    const auto share = static_cast<float>(most / norm);
    for (float& gradient : gradients) gradient *= share;
  }
  return norm;
}

}  // namespace brickwork
