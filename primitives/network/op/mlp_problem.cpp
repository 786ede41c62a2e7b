#include "primitives/network/op/mlp_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<MlpProblem>& MlpProblem::table() {
  using P = MlpProblem;
  static const SizeTable<MlpProblem> table{.kind = "mlp",
                                           .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                                                     {.key = "C", .column = "C", .member = &P::C},
                                                     {.key = "L", .column = "layers", .member = &P::L}},
                                           .words = {part_word<P>()}};
  return table;
}

void MlpProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  if (L > 1000) throw std::invalid_argument(fmt::format("L is {}: at most 1000 layers are allowed", L));
  network_graph(*this).validate();
}

NetworkGraph mlp_graph(std::int64_t N, const std::vector<std::int64_t>& widths) {
  if (widths.size() < 2) throw std::invalid_argument("an MLP needs the widths of its input and of one layer");
  NetworkGraph b{.images = {N, widths.front()}};
  int x = kImages;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const bool last = i + 1 == widths.size();
    x = b.add_fc(fmt::format("fc{}", i), x, widths[i], last ? Activation::none : Activation::relu);
  }
  return b;
}

NetworkGraph network_graph(const MlpProblem& p) {
  return mlp_graph(p.N, std::vector<std::int64_t>(static_cast<std::size_t>(p.L) + 1, p.C));
}

}  // namespace brickwork
