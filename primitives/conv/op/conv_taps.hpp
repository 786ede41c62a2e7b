// Which taps of a filter meet the image: what the definitions of convolution's passes have in common.
#pragma once
#include <algorithm>

#include "conv_problem.hpp"

namespace brickwork {

// The output columns begin .. end-1 whose filter column s falls into the image, and not into the padding beside it.
struct ConvColumns {
  std::int64_t begin, end;
};
inline ConvColumns columns_in_image(const ConvProblem& p, std::int64_t s) {
  // So many of the output columns 0 .. Q-1 have q * stride + s - pad < limit.
  const auto below = [&](std::int64_t limit) {
    const std::int64_t room = limit + p.pad_w - s;
    return room <= 0 ? 0 : std::min(p.Q(), (room + p.stride_w - 1) / p.stride_w);
  };
  return {below(0), below(p.W)};
}

// The image row that filter row r meets for an output row; outside of 0 .. H-1 it is padding.
inline std::int64_t image_row(const ConvProblem& p, std::int64_t row, std::int64_t r) {
  return row * p.stride_h + r - p.pad_h;
}

}  // namespace brickwork
