// What OpenBLAS's three passes of a convolution share: NCHW, and an image as the matrix that makes it a product.
#pragma once
#include <optional>
#include <string>

#include "baselines/contender/contender.hpp"
#include "baselines/openblas/openblas.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::openblas {

// Why it cannot be, or nothing.
std::optional<std::string> unsupported_conv(const ConvProblem&, const Resources&);

// [C*R*S][P*Q]: a row is what one tap of one channel sees at every output pixel. Where a filter is one pixel and
// neither stride nor padding is in the way, the image is its own matrix and nothing is moved.
class ImageColumns {
 public:
  ImageColumns(const ConvProblem&, int threads);

  bool is_image() const { return matrix_.size() == 0; }
  std::int64_t rows() const { return problem_.C * problem_.R * problem_.S; }
  std::int64_t pixels() const { return problem_.P() * problem_.Q(); }
  std::int64_t image_size() const { return problem_.C * problem_.H * problem_.W; }

  const float* fill(const float* image);  // im2col
  float* of(float* image) { return is_image() ? image : matrix_.data(); }
  void add_up(float* image) const;  // col2im: overwrites the image by what its matrix holds

 private:
  ConvProblem problem_;
  int threads_;
  AlignedBuffer<float> matrix_;
};

}  // namespace brickwork::openblas
