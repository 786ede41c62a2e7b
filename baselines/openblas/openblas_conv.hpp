// Parts that OpenBLAS's three passes of a convolution share: tensors in NCHW, and an image as a matrix for SGEMM.
#pragma once
#include <optional>
#include <string>

#include "baselines/contender/contender.hpp"
#include "baselines/openblas/openblas.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::openblas {

// Why OpenBLAS cannot do it; nullopt if it can.
std::optional<std::string> unsupported_conv(const ConvProblem&, const Resources&);

// The matrix [C*R*S][P*Q] of an image: a row holds what one tap of one channel sees at every output pixel. With 1x1
// filters and neither stride nor padding, the image itself is this matrix, and nothing is copied.
class ImageColumns {
 public:
  ImageColumns(const ConvProblem&, int threads);

  bool is_image() const { return matrix_.size() == 0; }
  std::int64_t rows() const { return problem_.C * problem_.R * problem_.S; }
  std::int64_t pixels() const { return problem_.P() * problem_.Q(); }
  std::int64_t image_size() const { return problem_.C * problem_.H * problem_.W; }

  const float* fill(const float* image);  // im2col
  float* of(float* image) { return is_image() ? image : matrix_.data(); }
  void add_up(float* image) const;  // col2im: overwrites the image with the sums of its matrix

 private:
  ConvProblem problem_;
  int threads_;
  AlignedBuffer<float> matrix_;
};

}  // namespace brickwork::openblas
