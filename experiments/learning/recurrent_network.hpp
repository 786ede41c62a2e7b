// Recurrent layers followed by a fully connected layer, trained by gradient descent through time. The fully connected
// layer reads the states of the last recurrent layer, after the last step or after every step.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/learning/plain_fc.hpp"
#include "experiments/learning/random.hpp"
#include "primitives/op/op.hpp"
#include "primitives/rnn/rnn.hpp"
#include "primitives/sgd/op/sgd_op.hpp"

namespace brickwork {

struct RecurrentShape {
  RnnProblem rnn;  // one direction, sequences of equal length
  std::int64_t outputs = 1;
  enum class Reads { last_step, every_step } reads = Reads::last_step;

  std::int64_t rows() const { return reads == Reads::last_step ? rnn.N : rnn.T * rnn.N; }
};

class RecurrentNetwork {
 public:
  // Throws std::runtime_error with the reason if the backend has no brick for a layer.
  RecurrentNetwork(const RecurrentShape&, const NetworkBrick&);

  const RecurrentShape& shape() const { return shape_; }

  // How long an untrained LSTM keeps its state. short_at_first: the biases of the forget gates are 1, as is usual
  // (Jozefowicz et al. 2015). over_all_steps: each feature keeps its state for a random time from 1 to T - 1 steps; the
  // bias of its forget gate is the logarithm of that time, the bias of its input gate minus that (Tallec and Ollivier,
  // arXiv 1804.11188).
  enum class Memory { short_at_first, over_all_steps };
  // Weights are uniform from -1 / sqrt(K) to 1 / sqrt(K); all other biases stay 0.
  void initialise(Random&, Memory);

  // All parameters and their gradients: weights_layer, weights_iter and bias of each recurrent layer in the layouts of
  // rnn_ops.hpp, then the fully connected layer's weights [outputs][K] and bias [outputs].
  std::span<float> parameters() { return parameters_; }
  std::span<float> gradients() { return gradients_; }

  // Takes x [T][N][C] and returns the outputs [rows][outputs]. The states begin as 0, or with carry_on as the last call
  // left them.
  enum class States { begin, carry_on };
  std::span<const float> forward(const float* x, States = States::begin);
  // Computes the gradients of all parameters from doutputs [rows][outputs] for the last call of forward(). Gradients do
  // not flow back beyond the first step of that call.
  void backward(const float* doutputs);
  void step(const SgdStep&);

 private:
  bool is_bias(std::size_t i) const { return i % 3 == 2 || i + 1 == infos_.size(); }
  const float* parameter(std::size_t i) const { return parameters_.data() + first_[i]; }
  float* gradient(std::size_t i) { return gradients_.data() + first_[i]; }

  RecurrentShape shape_;
  Rnn rnn_;
  PlainFc fc_;
  std::vector<TensorInfo> infos_;
  std::vector<std::int64_t> first_;  // index of each tensor's first element in parameters_
  std::vector<float> parameters_, velocities_, gradients_;
  std::vector<float> h_, c_, dh_, dc_;          // [L][N][K]
  std::vector<float> y_, dy_, read_, outputs_;  // [T][N][K]; [rows][K]; [rows][outputs]
};

}  // namespace brickwork
