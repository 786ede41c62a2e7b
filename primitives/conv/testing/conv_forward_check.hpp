// Test data for a driver of convolution forward: its blocked tensors, and the check of its result.
#pragma once
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {

// Test data of small integers, so that the tolerance is 0.
TestData conv_forward_test_data(const ConvProblem&);

// A driver's blocked tensors: packed inputs, and dst full of NaN.
struct BlockedConvForward {
  BlockedConvForward(const ActivationLayout& src, const WeightLayout& weights, const ActivationLayout& dst,
                     const PlainTensors& inputs);

  const ActivationLayout dst_layout;
  AlignedBuffer<float> src, weights, bias, residual, dst;

  // Why dst is wrong, or an empty string.
  std::string wrong(const ConvProblem&, const TestData&) const;
};

}  // namespace brickwork
