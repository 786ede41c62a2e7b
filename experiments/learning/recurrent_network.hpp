// Recurrent layers, and a fully connected one that reads the last one's states: outputs of the last step, or of every
// one, and their training by gradient descent through time.
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
  RnnProblem rnn;  // one way, sequences of equal length
  std::int64_t outputs = 1;
  enum class Reads { last_step, every_step } reads = Reads::last_step;

  std::int64_t rows() const { return reads == Reads::last_step ? rnn.N : rnn.T * rnn.N; }
};

class RecurrentNetwork {
 public:
  // Throws std::runtime_error with the reason where the backend has no brick for it.
  RecurrentNetwork(const RecurrentShape&, const NetworkBrick&);

  const RecurrentShape& shape() const { return shape_; }

  // How long an LSTM keeps its state before anything is learned. Short: its forget gates' biases are 1, as is usual
  // (Jozefowicz et al. 2015). Or each feature for a time of its own, from 1 step to T - 1: those biases are the
  // logarithm of that time, and the input gates' are minus them (Tallec and Ollivier, arXiv 1804.11188).
  enum class Memory { short_at_first, over_all_steps };
  // Weights from -1 / sqrt(K) to 1 / sqrt(K), all other biases 0.
  void initialise(Random&, Memory);

  // What training changes, and its gradients: weights_layer, weights_iter and bias of each layer as rnn_ops.hpp has
  // them, then weights [outputs][K] and bias [outputs].
  std::span<float> parameters() { return parameters_; }
  std::span<float> gradients() { return gradients_; }

  // From x [T][N][C] to the outputs [rows][outputs]. The states begin as 0, or where it carries them on as the call
  // before left them.
  enum class States { begin, carry_on };
  std::span<const float> forward(const float* x, States = States::begin);
  // To the gradients of all parameters, out of those of the outputs; after forward(). Beyond the first step of that
  // call it does not go back.
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
  std::vector<std::int64_t> first_;  // of each tensor among all parameters
  std::vector<float> parameters_, velocities_, gradients_;
  std::vector<float> h_, c_, dh_, dc_;          // [L][N][K]
  std::vector<float> y_, dy_, read_, outputs_;  // [T][N][K]; [rows][K]; [rows][outputs]
};

}  // namespace brickwork
