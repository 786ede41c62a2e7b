// The general convolution that the loops compute. A forward pass is one of them; backward by data is one per phase of
// its stride.
#pragma once
#include <cstdint>

#include "kernels/layout/layout.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork {

//   dst[n][k][first_h + i * step_h][first_w + j * step_w] = epilogue(
//       sum over c, r, s of src[n][c][i * stride_h + r - pad_h][j * stride_w + s - pad_w] * weights[k][c][r][s])
//
// for i < rows and j < cols, with zeros outside src.
struct ConvView {
  std::int64_t N = 1;
  std::int64_t C = 0, H = 0, W = 0;  // size of src
  std::int64_t K = 0, P = 0, Q = 0;  // size of dst
  std::int64_t rows = 0, cols = 0;   // computed pixels of dst
  std::int64_t R = 1, S = 1;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;    // if negative: the number of first rows or columns of src that no output reads
  std::int64_t room_w = 0;              // columns of zeros on each side of src's rows, for taps in the padding
  std::int64_t room_h = 0;              // rows of zeros above and below src's images, for plans with joined pixels
  std::int64_t dst_room_w = 0;          // columns of zeros on each side of dst's rows, for the layer that reads dst
  std::int64_t step_h = 1, step_w = 1;  // distance of computed pixels in dst
  std::int64_t first_h = 0, first_w = 0;  // the first computed pixel in dst
  Epilogue epilogue;

  double flops() const {  // includes taps in the padding
    return 2.0 * static_cast<double>(N * K * C) * static_cast<double>(rows * cols * R * S);
  }
};

ConvView forward_view(const ConvProblem&);

// Layouts of the view's blocked tensors.
ActivationLayout src_layout_of(const ConvView&, std::int64_t bc);
ActivationLayout dst_layout_of(const ConvView&, std::int64_t bk);
WeightLayout weights_layout_of(const ConvView&, std::int64_t bc, std::int64_t bk);

}  // namespace brickwork
