// The problem of recurrent layers over sequences: sizes, cell and direction.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "primitives/op/sequence_lengths.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/rnn/op/rnn_cell.hpp"

namespace brickwork {

// Bidirectional layers have weights for each direction, and pass both states to the next layer, forward's first.
enum class RnnDirection { forward, reverse, bidirectional };

// After the end of a sequence its state stays as it is and its y is 0. The reverse direction begins at each sequence's
// own end, as with PyTorch's packed sequences.
//
// As text "T50 N168 C256 K256 L2 gru bidirectional unequal"; the cells are lstm, gru, lbr-gru, rnn-tanh, rnn-relu.
// rnn_ops.hpp names the plain tensors, which are row-major and f32 except for the lengths.
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
  std::int64_t gates() const;   // G: 4 in the order i, f, g, o; 3 in the order u, r, o; or 1
  std::int64_t biases() const;  // G; for lbr_gru one more at the end, b_m
  std::int64_t features(std::int64_t layer) const { return layer == 0 ? C : D() * K; }  // that the layer reads
  bool has_c() const { return cell == RnnCell::lstm; }
  bool unequal() const { return lengths == SequenceLengths::unequal; }
  bool reversed(std::int64_t d) const { return direction == RnnDirection::reverse || d == 1; }

  // Operations of the forward pass as the literature counts them: only the matrix products, a multiply-add as two. That
  // is 2 * G * K * (C_l + K) for each step, sequence, layer and direction. Every sequence counts T steps, as its length
  // is no size of the problem.
  double flops() const;

  // The number of kept values: `of_each` per step, sequence, layer, direction and feature of the state. Training keeps
  // the gates, h and c.
  double values_between(std::int64_t of_each) const;
  double values_in_training() const { return values_between(gates() + 2); }

  // Throws std::invalid_argument with one sentence if a size is <= 0 or a tensor has more than 2^40 elements.
  void validate() const;
};

template <class Number>
void check_lengths(const RnnProblem& p, std::span<const Number> lengths) {
  check_lengths(lengths, p.T, "T");
}

}  // namespace brickwork
