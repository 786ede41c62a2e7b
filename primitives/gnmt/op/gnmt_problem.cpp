#include "primitives/gnmt/op/gnmt_problem.hpp"

#include <fmt/format.h>

namespace brickwork {

const SizeTable<GnmtProblem>& GnmtProblem::table() {
  using P = GnmtProblem;
  static const SizeTable<GnmtProblem> table{
      .kind = "gnmt",
      .sizes = {{.key = "T", .column = "T", .member = &P::T},
                {.key = "S", .column = "S", .member = &P::S, .like = &P::T},
                {.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "K", .column = "K", .member = &P::K}},
      .words = {lengths_word<P>(), choice("a part: step or inference", {"step", "inference"}, &P::part, "part")}};
  return table;
}

AttentionProblem GnmtProblem::attention() const {
  return {.T = T, .S = S, .N = N, .K = K, .scale = AttentionScale::scaled, .lengths = lengths};
}

double GnmtProblem::values_between() const {
  double values = 0;
  for (const GnmtLayer& layer : gnmt_layers(*this)) {
    const RnnProblem& p = layer.rnn;
    values += p.values_in_training();
    if (part == GnmtPart::inference) continue;
    // A layer's input and output have gradients of the same size.
    values += 2 * static_cast<double>(p.T * p.N) * static_cast<double>(p.C + p.D() * p.K);
    values += static_cast<double>(p.D() * p.gates() * p.K) * static_cast<double>(p.C + p.K);
  }
  return values;
}

void GnmtProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  for (const GnmtLayer& layer : gnmt_layers(*this)) layer.rnn.validate();
  attention().validate();
}

std::vector<GnmtLayer> gnmt_layers(const GnmtProblem& p) {
  std::vector<GnmtLayer> layers;
  for (const bool encoder : {true, false}) {
    for (std::size_t i = 0; i < kGnmtLayers; ++i) {
      const bool two_inputs = encoder ? i == 1 : i >= 1;  // both directions; or the layer before and the context
      RnnProblem rnn{.T = encoder ? p.S : p.T, .N = p.N, .C = two_inputs ? 2 * p.K : p.K, .K = p.K};
      if (encoder) rnn.lengths = p.lengths;
      if (encoder && i == 0) rnn.direction = RnnDirection::bidirectional;
      layers.push_back({fmt::format("{}.{}", encoder ? "encoder" : "decoder", i + 1), rnn, i >= 2});
    }
  }
  return layers;
}

}  // namespace brickwork
