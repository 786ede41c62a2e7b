// The problem of a pooling layer: sizes and kind.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/size_table.hpp"

namespace brickwork {

enum class PoolKind {
  max,
  average,         // over the taps of a window that are in the image
  average_padded,  // over all R * S taps; those outside the image are zeros
};

// dst[n][c][p][q] = the largest, or the average, of src[n][c][p*stride_h + r - pad_h][q*stride_w + s - pad_w] over the
// taps r < R, s < S that are in the image. Of equal values the first one, in the order of r and then s, is the largest.
// NaN is larger than everything; of several NaN the last one is the largest. Plain tensors are NCHW, f32. Global
// pooling is a window of the image's size.
struct PoolProblem {
  // As text "C64 H112 R3 sh2 ph1", with average or average-padded if wanted. Defaults: W as H, S as R, sw as sh, pw as
  // ph, N and sh 1, ph 0, kind max.
  static const SizeTable<PoolProblem>& table();

  std::string name;  // the layer's name in its shape file; not part of the identity
  std::int64_t N = 1, C = 0, H = 0, W = 0, R = 0, S = 0;
  std::int64_t stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0;
  PoolKind kind = PoolKind::max;
  int count = 1;  // how often the network uses the layer: the weight of whole-network figures

  std::int64_t P() const { return (H + 2 * pad_h - R) / stride_h + 1; }  // output height
  std::int64_t Q() const { return (W + 2 * pad_w - S) / stride_w + 1; }  // output width
  std::int64_t index_bytes() const { return R * S <= 256 ? 1 : 4; }      // of a largest tap's number

  // Throws std::invalid_argument with one sentence: a size <= 0, a tensor of more than 2^40 elements, a window larger
  // than the padded image or with more than 2^31 - 1 taps, a window with nothing but padding.
  void validate() const;
};

}  // namespace brickwork
