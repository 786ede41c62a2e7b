// The curves of epilogues on intervals, written independently of the kernels.
//
// A curve's error is at most 6e-7 of the larger of its value and 1, and so is that of its factor in a gradient
// (epilogue.hpp). Recurrent layers' own curves are within 4e-7.
#pragma once
#include "primitives/op/epilogue_steps.hpp"
#include "primitives/testing/oracle/interval.hpp"

namespace brickwork::oracle {

// x < 0 ? 0 : x
Interval relu(const Interval&);
Interval sigmoid(const Interval&);
Interval hyperbolic_tangent(const Interval&);
// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))); for minus infinity it is 0, or NaN, which the formula gives.
Interval gelu(const Interval&);

// Factors of gradients, where y is the value of sigmoid or tanh: y (1 - y) and 1 - y^2.
Interval sigmoid_slope(const Interval& y);
Interval tangent_slope(const Interval& y);

// Applies the epilogue's activation or derivative to `sum`. Only a derivative reads `at`.
Interval last_step(const Epilogue&, const Interval& sum, float at);

}  // namespace brickwork::oracle
