// The problem of GNMT's recurrent stack: sizes, and what part of the work is done.
#pragma once
#include <string>
#include <vector>

#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// A step of training computes all gradients: forward, backward and weight update, without gradient descent.
enum class GnmtPart { step, inference };

// Encoder and decoder have four LSTM layers each, of K features, as in NVIDIA's GNMT v2. First states are zeros.
// Embeddings and the classifier are left out: the inputs are the embeddings' vectors.
//
//   encoder  e1 = both directions of the source (2K features); e2 = layer 2 of e1;
//            e3 = layer 3 of e2, + e2; e4 = layer 4 of e3, + e3
//   decoder  d1 = layer 1 of the target; context = attention of d1 over e4, its scores times 1 / sqrt(K);
//            d2 = layer 2 of (d1, context); d3 = layer 3 of (d2, context), + d2;
//            d4 = layer 4 of (d3, context), + d3, the output
//
// Source: Wu et al., arXiv 1609.08144, where residuals are added from the third layer on, too. There the decoder takes
// a step's context one step later, and attention is additive. If source sentences are shorter than S, states after
// their ends are ignored; in the target every word counts.
//
// As text "T50 S50 N128 K1024 unequal step".
struct GnmtProblem {
  static constexpr std::string_view primitive = "gnmt";

  static const SizeTable<GnmtProblem>& table();

  std::string name;
  std::int64_t T = 0, S = 0, N = 1, K = 0;           // words of target and source, sentences, features
  SequenceLengths lengths = SequenceLengths::equal;  // of source sentences
  GnmtPart part = GnmtPart::step;
  int count = 1;

  bool unequal() const { return lengths == SequenceLengths::unequal; }
  AttentionProblem attention() const;
  double values_between() const;  // of its layers' steps; for a step of training also the weights

  // Throws std::invalid_argument with one sentence if a size is <= 0 or a tensor has more than 2^40 elements.
  void validate() const;
};

struct GnmtLayer {
  std::string name;  // "encoder.1"
  RnnProblem rnn;
  bool residual = false;  // adds what it reads of the layer before to its output
};

inline constexpr std::size_t kGnmtLayers = 4;  // of the encoder, and of the decoder

// The encoder's layers, then the decoder's.
std::vector<GnmtLayer> gnmt_layers(const GnmtProblem&);

}  // namespace brickwork
