// Attention of decoder states over encoder states: its sizes, scale and lengths.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "primitives/op/sequence_lengths.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// What the scores are multiplied by: 1, or 1 / sqrt(K).
enum class AttentionScale { unscaled, scaled };

// Of each sequence, for t < T decoder states and s < S encoder states of K features:
//
//   weights[t][s] = exp(score[t][s]) / sum over s of it,  score[t][s] = scale * queries[t] . keys[s]
//   context[t] = sum over s of weights[t][s] * values[s]
//
// (Luong et al., arXiv 1508.04025: "dot"; "general" has queries that went through a fully connected layer.) A sum over
// s ends with the sequence.
//
// As text "T50 S50 N128 K1024 scaled unequal".
struct AttentionProblem {
  static const SizeTable<AttentionProblem>& table();

  std::string name;
  std::int64_t T = 0, S = 0, N = 1, K = 0;  // decoder's and encoder's steps, sequences, features
  AttentionScale scale = AttentionScale::unscaled;
  SequenceLengths lengths = SequenceLengths::equal;  // of encoder sequences: what lies beyond an end is never looked at
  int count = 1;

  bool unequal() const { return lengths == SequenceLengths::unequal; }
  double score_scale() const;

  // Throws std::invalid_argument with one sentence: a size <= 0, a tensor beyond 2^40 elements.
  void validate() const;
};

template <class Number>
void check_lengths(const AttentionProblem& p, std::span<const Number> lengths) {
  check_lengths(lengths, p.S, "S");
}

}  // namespace brickwork
