// The weights of recurrent layers in cuDNN's order. cuDNN keeps all of them in one space and chooses the place of each
// matrix and each bias. Includes no cuDNN header.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork::cudnn {

// cuDNN's linear layer: the places, in the space, of a matrix [K][features] and mostly of a bias [K].
struct LinearLayer {
  std::int64_t matrix = 0;
  std::optional<std::int64_t> bias;
};

class RnnWeights {
 public:
  // linear [L][D][2 * G]: per layer and direction, G linear layers for x, then G for h, in cuDNN's order. Each linear
  // layer for x must have a bias. In an lbr_gru the last of the 2 * G must have one, too.
  RnnWeights(const RnnProblem&, std::span<const LinearLayer> linear);

  // Copies weights_layer.l, weights_iter.l and bias.l into the space; all other places become 0.
  void order(const PlainTensors& plain, std::span<float> space) const;
  // Copies the space into the gradients of these tensors.
  void restore(std::span<const float> space, PlainTensors& plain) const;

 private:
  // Element [k][c] is space[ordered + k * columns + c] and element [plain + c * stride + k] of the plain tensor `name`.
  struct Matrix {
    std::string name;
    std::int64_t plain, stride, ordered, columns;
  };

  template <class Element>
  void for_each(const Matrix&, const Element&) const;

  std::int64_t rows_;
  std::vector<Matrix> matrices_;  // a bias is a matrix of one column
};

}  // namespace brickwork::cudnn
