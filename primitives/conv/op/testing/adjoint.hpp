// Helpers of the tests that convolution's training passes are adjoints of forward.
#pragma once
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/op/testing/definition.hpp"

namespace brickwork {

inline Values dst_of(const ConvProblem& p, const Values& src, const Values& weights) {
  return by_definition<ConvForwardOp>(p, {src, weights});
}

// A random problem with strides of 1 to 3 and padding of 0 to 3; sizes need not be even or square.
inline ConvProblem random_conv() {
  const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
  ConvProblem p;
  p.N = in(1, 5);
  p.C = in(1, 5);
  p.K = in(1, 5);
  p.R = in(1, 5);
  p.S = in(1, 5);
  p.pad_h = in(0, 3);
  p.pad_w = in(0, 3);
  p.H = in(std::max<std::int64_t>(1, p.R - 2 * p.pad_h), 9);
  p.W = in(std::max<std::int64_t>(1, p.S - 2 * p.pad_w), 9);
  p.stride_h = in(1, 3);
  p.stride_w = in(1, 3);
  p.validate();
  return p;
}

}  // namespace brickwork
