// The recurrent stack of GNMT, as translation is trained with it: its sizes, and a part of the work.
#pragma once
#include <string>
#include <vector>

#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// A step of training is forward, backward and the weights' update: all gradients. Gradient descent is not part of it.
enum class GnmtPart { step, inference };

// Encoder and decoder, each of four layers of LSTM with K features and states that begin with zeros, as NVIDIA's GNMT
// v2 has them; without embeddings, whose vectors are what goes in, and without a classifier:
//
//   encoder  e1 = both ways of the source (2K features), e2 = layer 2 of e1, e3 = layer 3 of e2, + e2, e4 likewise
//   decoder  d1 = layer 1 of the target; context = attention of d1 over e4, its scores times 1 / sqrt(K);
//            d2 = layer 2 of (d1, context), d3 = layer 3 of (d2, context), + d2, d4 likewise, which comes out
//
// (Wu et al., arXiv 1609.08144, whose decoder takes a step's context one step later, and whose attention is additive;
// residual additions from the third layer on.) Of source sentences shorter than S all states beyond the end are
// ignored; in the target every word counts.
//
// As text "T50 S50 N128 K1024 unequal step".
struct GnmtProblem {
  static constexpr std::string_view primitive = "gnmt";

  static const SizeTable<GnmtProblem>& table();

  std::string name;
  std::int64_t T = 0, S = 0, N = 1, K = 0;           // words of target and source, sentences, features
  SequenceLengths lengths = SequenceLengths::equal;  // of the source
  GnmtPart part = GnmtPart::step;
  int count = 1;

  bool unequal() const { return lengths == SequenceLengths::unequal; }
  AttentionProblem attention() const;
  double values_between() const;  // of its layers' steps, and of a step of training the weights

  // Throws std::invalid_argument with one sentence: a size <= 0, a tensor beyond 2^40 elements.
  void validate() const;
};

struct GnmtLayer {
  std::string name;  // "encoder.1"
  RnnProblem rnn;
  bool residual = false;  // what it reads of the layer before is added to what it gives
};

inline constexpr std::size_t kGnmtLayers = 4;  // of the encoder, and of the decoder

// The encoder's, then the decoder's.
std::vector<GnmtLayer> gnmt_layers(const GnmtProblem&);

}  // namespace brickwork
