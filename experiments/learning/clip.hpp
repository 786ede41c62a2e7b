// Clipping gradients by their norm (Pascanu et al., arXiv 1211.5063): a few sequences' explode, and a step along one
// such would undo many others.
#pragma once
#include <cmath>
#include <span>

namespace brickwork {

// The norm of all of them together, added up in their order; where it is above `most`, they are scaled down to it.
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
