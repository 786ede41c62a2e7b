// The taps of a filter that fall into the image, for the definitions of convolution's passes.
#pragma once
#include <algorithm>

#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork {

// Along one dimension, the outputs begin .. end - 1 whose filter tap falls into the image, not into the padding.
struct ConvOutputs {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};
inline ConvOutputs outputs_in_image(std::int64_t outputs, std::int64_t stride, std::int64_t tap, std::int64_t pad,
                                    std::int64_t size) {
  // The number of outputs with output * stride + tap - pad < limit.
  const auto below = [&](std::int64_t limit) {
    const std::int64_t room = limit + pad - tap;
    return room <= 0 ? 0 : std::min(outputs, (room + stride - 1) / stride);
  };
  return {below(0), below(size)};
}
inline ConvOutputs columns_in_image(const ConvProblem& p, std::int64_t s) {
  return outputs_in_image(p.Q(), p.stride_w, s, p.pad_w, p.W);
}
inline ConvOutputs rows_in_image(const ConvProblem& p, std::int64_t r) {
  return outputs_in_image(p.P(), p.stride_h, r, p.pad_h, p.H);
}

// The image row that filter row r reads for an output row; outside 0 .. H - 1 it is padding.
inline std::int64_t image_row(const ConvProblem& p, std::int64_t row, std::int64_t r) {
  return row * p.stride_h + r - p.pad_h;
}

}  // namespace brickwork
