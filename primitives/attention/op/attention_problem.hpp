// The problem of attention from decoder states to encoder states: sizes, scale and lengths.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "primitives/op/sequence_lengths.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// The factor of the scores: 1, or 1 / sqrt(K).
enum class AttentionScale { unscaled, scaled };

// For each sequence, with decoder states t < T and encoder states s < S of K features:
//
//   weights[t][s] = exp(score[t][s]) / sum over s of exp(score[t][s]),  score[t][s] = scale * queries[t] . keys[s]
//   context[t] = sum over s of weights[t][s] * values[s]
//
// A sum over s ends with the sequence. Source: Luong et al., arXiv 1508.04025, "dot"; its "general" has queries that
// went through a fully connected layer.
//
// As text "T50 S50 N128 K1024 scaled unequal".
struct AttentionProblem {
  static const SizeTable<AttentionProblem>& table();

  std::string name;
  std::int64_t T = 0, S = 0, N = 1, K = 0;  // decoder steps, encoder steps, sequences, features
  AttentionScale scale = AttentionScale::unscaled;
  SequenceLengths lengths = SequenceLengths::equal;  // of encoder sequences; steps after an end are never read
  int count = 1;

  bool unequal() const { return lengths == SequenceLengths::unequal; }
  double score_scale() const;

  // Throws std::invalid_argument with one sentence if a size is <= 0 or a tensor has more than 2^40 elements.
  void validate() const;
};

template <class Number>
void check_lengths(const AttentionProblem& p, std::span<const Number> lengths) {
  check_lengths(lengths, p.S, "S");
}

}  // namespace brickwork
