// Where windows lie along the rows or the columns of an image.
#pragma once
#include <algorithm>
#include <cstdint>

#include "primitives/nest/integers.hpp"
#include "primitives/pool/op/pool_problem.hpp"

namespace brickwork {

struct PoolAxis {
  std::int64_t image, outputs, taps, stride, pad;

  struct Range {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
  };
  // The pixel under a window's first tap; below 0 in the padding.
  std::int64_t first(std::int64_t output) const { return output * stride - pad; }
  // The taps of a window that are in the image.
  Range taps_in_image(std::int64_t output) const {
    return {std::max<std::int64_t>(0, -first(output)), std::min(taps, image - first(output))};
  }
  // The windows that a pixel is in.
  Range windows_of(std::int64_t pixel) const {
    return {std::max<std::int64_t>(0, ceil_div(pixel + pad - taps + 1, stride)),
            std::min(outputs, (pixel + pad) / stride + 1)};
  }
};

inline PoolAxis rows_of(const PoolProblem& p) { return {p.H, p.P(), p.R, p.stride_h, p.pad_h}; }
inline PoolAxis columns_of(const PoolProblem& p) { return {p.W, p.Q(), p.S, p.stride_w, p.pad_w}; }

}  // namespace brickwork
