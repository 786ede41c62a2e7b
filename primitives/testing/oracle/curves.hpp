// The steps behind a sum, written anew: what they may make of an interval.
//
// A curve is right to 6e-7 of the largest of what it returns and 1, its factor in a gradient likewise (epilogue.hpp;
// recurrent layers' own are within 4e-7).
#pragma once
#include "primitives/op/epilogue_steps.hpp"
#include "primitives/testing/oracle/interval.hpp"

namespace brickwork::oracle {

// x < 0 ? 0 : x
Interval relu(const Interval&);
Interval sigmoid(const Interval&);
Interval hyperbolic_tangent(const Interval&);
// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))); of minus infinity 0, which its formula need not find: or NaN.
Interval gelu(const Interval&);

// Of gradients, at what sigmoid and tanh have returned: y (1 - y) and 1 - y^2.
Interval sigmoid_slope(const Interval& y);
Interval tangent_slope(const Interval& y);

// sum is what precedes the epilogue's last step: that step. `at` is read where it is a derivative.
Interval last_step(const Epilogue&, const Interval& sum, float at);

}  // namespace brickwork::oracle
