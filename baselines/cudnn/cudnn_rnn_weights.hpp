// The weights of recurrent layers in the order of cuDNN's, which has all of them in one space, each matrix and each
// bias wherever it likes. Free of cuDNN's headers.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork::cudnn {

// What cuDNN calls a linear layer: a matrix [K][features] and mostly a bias [K], by their first elements in the space.
struct LinearLayer {
  std::int64_t matrix = 0;
  std::optional<std::int64_t> bias;
};

class RnnWeights {
 public:
  // linear [L][D][2 * G]: of each layer and way those that are multiplied with x, then those with h, by cuDNN's
  // numbers. The first must have a bias, and of an lbr_gru the last.
  RnnWeights(const RnnProblem&, std::span<const LinearLayer> linear);

  // From weights_layer.l, weights_iter.l and bias.l; where none of them lies is 0.
  void order(const PlainTensors& plain, std::span<float> space) const;
  // To the gradients of those names.
  void restore(std::span<const float> space, PlainTensors& plain) const;

 private:
  // Element [k][c] is space[ordered + k * columns + c] and of the plain tensor of that name [plain + c * stride + k].
  struct Matrix {
    std::string name;
    std::int64_t plain, stride, ordered, columns;
  };

  template <class Element>
  void for_each(const Matrix&, const Element&) const;

  std::int64_t rows_;
  std::vector<Matrix> matrices_;  // a bias is one of a single column
};

}  // namespace brickwork::cudnn
