// A recursive model over structures of tokens, followed by a fully connected layer that reads the first state of the
// roots. Each input of the cell has a table of its own with a learned row for each token.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/learning/plain_fc.hpp"
#include "experiments/learning/random.hpp"
#include "primitives/op/op.hpp"
#include "primitives/recursive/recursive.hpp"
#include "primitives/sgd/op/sgd_op.hpp"

namespace brickwork {

// A minibatch: structures, each with one root.
struct TokenForest {
  Forest forest;
  std::vector<std::int32_t> tokens;  // of each node
  std::vector<std::int32_t> roots;   // of each structure
};

struct RecursiveShape {
  const Cell* cell;  // each input is a row of each node
  std::int64_t H = 0, tokens = 0, most_children = 1;
  std::int64_t N = 1;  // structures of a minibatch
  std::int64_t outputs = 1;
};

class RecursiveNetwork {
 public:
  // Throws std::runtime_error with the reason if the backend has no brick for a layer.
  RecursiveNetwork(const RecursiveShape&, const NetworkBrick&);

  // Weights are uniform from -1 / sqrt(H) to 1 / sqrt(H), tables from -1.5 to 1.5, so that tokens differ from the
  // start. Biases start as 0, but those of forget gates, which cells call b_f, as 1: states are kept at first
  // (Jozefowicz et al. 2015).
  void initialise(Random&);

  // All parameters and their gradients: tables [tokens][H], weights [H][H] and biases [H] in the order in which the
  // cell names them, then the fully connected layer's weights [outputs][H] and bias [outputs].
  std::span<float> parameters() { return parameters_; }
  std::span<float> gradients() { return gradients_; }

  // Returns the outputs [N][outputs]. The minibatch must live until backward().
  std::span<const float> forward(const TokenForest&);
  // Computes the gradients of all parameters from doutputs [N][outputs] for the last call of forward().
  void backward(const float* doutputs);
  void step(const SgdStep&);

 private:
  std::vector<const float*> parameters_from(std::size_t first, std::size_t count) const;
  std::vector<float*> gradients_from(std::size_t first, std::size_t count);
  const float* parameter(std::size_t i) const { return parameters_.data() + first_[i]; }
  float* gradient(std::size_t i) { return gradients_.data() + first_[i]; }
  void read_tables(const TokenForest&);
  void update_tables();

  RecursiveShape shape_;
  Recursive recursive_;
  PlainFc fc_;
  std::vector<TensorInfo> infos_;
  std::vector<std::int64_t> first_;  // index of each tensor's first element in parameters_
  std::vector<float> parameters_, velocities_, gradients_;
  const TokenForest* minibatch_ = nullptr;
  std::vector<std::vector<float>> inputs_, input_gradients_, state_gradients_;  // [nodes][H]
  std::vector<float> states_;                                                   // [nodes][H]
  std::vector<float> roots_, droots_, outputs_;                                 // [N][H]; [N][outputs]
};

}  // namespace brickwork
