// One pooling layer: its sizes.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/size_table.hpp"

namespace brickwork {

enum class PoolKind {
  max,
  average,         // of what a window holds of the image
  average_padded,  // of all its R * S taps, those beside the image being zeros
};

// dst[n][c][p][q] = the largest, or the average, of src[n][c][p*stride_h + r - pad_h][q*stride_w + s - pad_w] over
// those taps r < R, s < S that meet the image. Of equal values the first one is the largest, in the order of r and then
// s, and NaN is larger than all, the last one the largest. Plain tensors are NCHW, f32. Global pooling is a window of
// the image's size.
struct PoolProblem {
  // "C64 H112 R3 sh2 ph1" as text, or with average or average-padded: W defaults to H, S to R, sw to sh, pw to ph, N
  // and sh to 1, ph to 0, the kind to max.
  static const SizeTable<PoolProblem>& table();

  std::string name;  // the layer's name in its shape file; not part of the identity
  std::int64_t N = 1, C = 0, H = 0, W = 0, R = 0, S = 0;
  std::int64_t stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0;
  PoolKind kind = PoolKind::max;
  int count = 1;  // how often the network uses the layer: the weight of whole-network figures

  std::int64_t P() const { return (H + 2 * pad_h - R) / stride_h + 1; }  // output height
  std::int64_t Q() const { return (W + 2 * pad_w - S) / stride_w + 1; }  // output width
  std::int64_t index_bytes() const { return R * S <= 256 ? 1 : 4; }      // that say which tap is a window's largest

  // Throws std::invalid_argument with one sentence: a size <= 0, a tensor beyond 2^40 elements, a window larger than
  // the padded image or of more than 2^31 - 1 taps, a window that holds nothing but padding.
  void validate() const;
};

}  // namespace brickwork
