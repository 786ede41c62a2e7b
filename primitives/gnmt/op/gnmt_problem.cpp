#include "gnmt_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<GnmtProblem>& GnmtProblem::table() {
  using P = GnmtProblem;
  static const SizeTable<GnmtProblem> table = [] {
    auto word = [](std::string_view column, Word<P> of) {
      of.column = column;
      return of;
    };
    return SizeTable<P>{
        .kind = "gnmt",
        .sizes = {{.key = "T", .column = "T", .member = &P::T},
                  {.key = "S", .column = "S", .member = &P::S, .like = &P::T},
                  {.key = "N", .column = "N", .member = &P::N, .setting = true},
                  {.key = "K", .column = "K", .member = &P::K}},
        .words = {word("lengths", choice("lengths: equal or unequal", {"equal", "unequal"}, &P::lengths)),
                  word("part", choice("a part: step or inference", {"step", "inference"}, &P::part))}};
  }();
  return table;
}

AttentionProblem GnmtProblem::attention() const {
  return {.T = T,
          .S = S,
          .N = N,
          .K = K,
          .scale = AttentionScale::scaled,
          .lengths = unequal() ? AttentionLengths::unequal : AttentionLengths::equal};
}

double GnmtProblem::values_between() const {
  double values = 0;
  for (const GnmtLayer& layer : gnmt_layers(*this)) {
    const RnnProblem& p = layer.rnn;
    values += p.values_in_training();
    if (part == GnmtPart::inference) continue;
    // What a layer reads and gives is there again as its gradient.
    values += 2 * static_cast<double>(p.T * p.N) * static_cast<double>(p.C + p.D() * p.K);
    values += static_cast<double>(p.D() * p.gates() * p.K) * static_cast<double>(p.C + p.K);
  }
  return values;
}

void GnmtProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  if (count < 1) throw std::invalid_argument(fmt::format("count is {}: it must be at least 1", count));
  for (const GnmtLayer& layer : gnmt_layers(*this)) layer.rnn.validate();
  attention().validate();
}

std::vector<GnmtLayer> gnmt_layers(const GnmtProblem& p) {
  std::vector<GnmtLayer> layers;
  for (const bool encoder : {true, false}) {
    for (std::size_t i = 0; i < kGnmtLayers; ++i) {
      const bool two_inputs = encoder ? i == 1 : i >= 1;  // both ways, or the layer before and the context
      RnnProblem rnn{.T = encoder ? p.S : p.T, .N = p.N, .C = two_inputs ? 2 * p.K : p.K, .K = p.K};
      if (encoder) rnn.lengths = p.lengths;
      if (encoder && i == 0) rnn.direction = RnnDirection::bidirectional;
      layers.push_back({fmt::format("{}.{}", encoder ? "encoder" : "decoder", i + 1), rnn, i >= 2});
    }
  }
  return layers;
}

}  // namespace brickwork
