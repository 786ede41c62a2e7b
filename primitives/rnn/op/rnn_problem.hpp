// Recurrent layers over sequences: their sizes, cell and direction.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "primitives/op/sequence_lengths.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/rnn/op/rnn_cell.hpp"

namespace brickwork {

// Bidirectional layers have weights for each way, and give the states of both, forward's first, to the next layer.
enum class RnnDirection { forward, reverse, bidirectional };

// Beyond its end a sequence's state stays as it is and its y is 0, and the reverse direction begins at each one's own
// end, as with PyTorch's packed sequences.
//
// As text "T50 N168 C256 K256 L2 gru bidirectional unequal": a cell is one of lstm, gru, lbr-gru, rnn-tanh, rnn-relu.
// Plain tensors are row-major, all f32 but the lengths; rnn_ops.hpp names them.
struct RnnProblem {
  static const SizeTable<RnnProblem>& table();

  std::string name;
  std::int64_t T = 0, N = 1, C = 0, K = 0;  // steps, sequences, features of x and of the state
  std::int64_t L = 1;                       // layers
  RnnCell cell = RnnCell::lstm;
  RnnDirection direction = RnnDirection::forward;
  SequenceLengths lengths = SequenceLengths::equal;
  int count = 1;

  std::int64_t D() const { return direction == RnnDirection::bidirectional ? 2 : 1; }
  std::int64_t gates() const;   // G: 4 in the order i, f, g, o; or 3, u, r, o; or 1
  std::int64_t biases() const;  // G, and of lbr_gru one more, b_m, behind them
  std::int64_t features(std::int64_t layer) const { return layer == 0 ? C : D() * K; }  // that a layer reads
  bool has_c() const { return cell == RnnCell::lstm; }
  bool unequal() const { return lengths == SequenceLengths::unequal; }
  bool reversed(std::int64_t d) const { return direction == RnnDirection::reverse || d == 1; }

  // Of the forward pass, multiply-adds twice and the matrix products alone, as everyone counts: 2 * G * K * (C_l + K)
  // for each step, sequence, layer and way. Every sequence counts T steps: how long they are is no size of the problem.
  double flops() const;

  // So many values of each step, sequence, layer, way and feature of the state; in training the gates, h and c.
  double values_between(std::int64_t of_each) const;
  double values_in_training() const { return values_between(gates() + 2); }

  // Throws std::invalid_argument with one sentence: a size <= 0, a tensor beyond 2^40 elements.
  void validate() const;
};

template <class Number>
void check_lengths(const RnnProblem& p, std::span<const Number> lengths) {
  check_lengths(lengths, p.T, "T");
}

}  // namespace brickwork
