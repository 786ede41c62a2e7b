// Checks the gradients and the step of a small network, for tests. A Small has a `network` and `weights`; sum() runs
// the network forward and returns the sum of its outputs times `weights`, which are thus the outputs' gradient.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace brickwork {

inline double weighted_sum(std::span<const float> outputs, const std::vector<float>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) sum += double{weights[i]} * double{outputs[i]};
  return sum;
}

// Returns the largest gradient.
template <class Small>
double expect_finite_differences(Small& small) {
  small.sum();
  small.network.backward(small.weights.data());
  const std::vector<float> gradients(small.network.gradients().begin(), small.network.gradients().end());
  constexpr float kStep = 1.0F / 128;
  double most = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    float& parameter = small.network.parameters()[i];
    const float before = parameter;
    parameter = before + kStep;
    const double above = small.sum();
    parameter = before - kStep;
    const double below = small.sum();
    parameter = before;
    EXPECT_NEAR(gradients[i], (above - below) / double{2 * kStep}, 2e-3) << "parameter " << i;
    most = std::max(most, std::abs(double{gradients[i]}));
  }
  return most;
}

template <class Small>
void expect_step_downhill(Small& small) {
  const double before = small.sum();
  small.network.backward(small.weights.data());
  double squares = 0;
  for (const float gradient : small.network.gradients()) squares += double{gradient} * double{gradient};
  small.network.step({.rate = 1e-3F, .momentum = 0, .decay = 0});
  EXPECT_NEAR(before - small.sum(), 1e-3 * squares, 0.1e-3 * squares);
}

}  // namespace brickwork
