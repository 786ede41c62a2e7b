// The problem of one convolution layer: its sizes and epilogue, with the paper's letters.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/epilogue_steps.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// dst[n][k][p][q] = sum over c, r, s of src[n][c][p*stride_h + r - pad_h][q*stride_w + s - pad_w] * weights[k][c][r][s]
// with zeros outside src. Dilation 1, one group. Plain tensors are NCHW (src, dst, residual) and KCRS (weights), f32.
struct ConvProblem {
  // "C64 K256 H56 R1" as text: W defaults to H, S to R, sw to sh, pw to ph, N, R and sh to 1, ph to 0.
  static const SizeTable<ConvProblem>& table();

  std::string name;  // the layer's name in its shape file; ignored by comparisons
  std::int64_t N = 1, C = 0, K = 0, H = 0, W = 0, R = 1, S = 1;
  std::int64_t stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0;
  Epilogue epilogue;
  int count = 1;  // how often the network has the layer: its weight in whole-network figures

  std::int64_t P() const { return (H + 2 * pad_h - R) / stride_h + 1; }  // output height
  std::int64_t Q() const { return (W + 2 * pad_w - S) / stride_w + 1; }  // output width

  // 2*N*K*C*P*Q*R*S. Taps in the padding count, as in every published figure.
  double flops() const;
  // FLOPs without the taps in the padding: the least that a direct convolution computes. GFLOP/s of a padded layer can
  // exceed the machine's peak by flops(), but never by least_flops().
  double least_flops() const;

  // Throws std::invalid_argument with one sentence if a size is <= 0, a tensor has more than 2^40 elements, or the
  // kernel is larger than the padded input.
  void validate() const;
};

}  // namespace brickwork
