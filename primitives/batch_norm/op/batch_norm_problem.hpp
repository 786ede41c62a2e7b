// The problem of a batch normalisation layer: sizes and epilogue.
#pragma once
#include <cstdint>
#include <string>

#include "primitives/op/size_table.hpp"

namespace brickwork {

// The steps after the normalisation of an element, in this order: + residual[n][c][h][w], max(0, .).
enum class NormEpilogue { none, relu, residual_relu };

// dst[n][c][h][w] = epilogue((src[n][c][h][w] - mean[c]) / sqrt(variance[c] + epsilon) * gamma[c] + beta[c])
//
// Source: Ioffe and Szegedy, arXiv 1502.03167. In training, mean and variance are those of src over n, h and w; the
// variance is biased, the mean square of the deviations. Plain tensors are NCHW, vectors [C], all f32.
struct BatchNormProblem {
  static constexpr double epsilon = 1e-5;

  // As text "C64 H56 residual+relu"; defaults: W as H, N 1, no epilogue.
  static const SizeTable<BatchNormProblem>& table();

  std::string name;  // the layer's name in its shape file; not part of the identity
  std::int64_t N = 1, C = 0, H = 0, W = 0;
  NormEpilogue epilogue = NormEpilogue::none;
  int count = 1;  // how often the network uses the layer: the weight of whole-network figures

  bool relu() const { return epilogue != NormEpilogue::none; }
  bool residual() const { return epilogue == NormEpilogue::residual_relu; }
  std::int64_t values() const { return N * H * W; }  // of a channel
  std::int64_t elements() const { return N * C * H * W; }

  // Throws std::invalid_argument with one sentence if a size is <= 0 or a tensor has more than 2^40 elements.
  void validate() const;
};

}  // namespace brickwork
