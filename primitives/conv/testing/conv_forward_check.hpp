// The tensors of one convolution forward as a driver wants them, and whether it got them right.
#pragma once
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/forward/conv_forward_blocking.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {

// Small integers, so that the tolerance is 0.
TestData conv_forward_test_data(const ConvProblem&);

// The blocked tensors of a driver: inputs packed, dst full of NaN.
struct BlockedConvForward {
  BlockedConvForward(const ActivationLayout& src, const WeightLayout& weights, const ActivationLayout& dst,
                     const PlainTensors& inputs);

  const ActivationLayout dst_layout;
  AlignedBuffer<float> src, weights, bias, residual, dst;

  // Why dst is wrong, or nothing.
  std::string wrong(const ConvProblem&, const TestData&) const;
};

}  // namespace brickwork
