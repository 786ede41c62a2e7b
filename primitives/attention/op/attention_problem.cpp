#include "primitives/attention/op/attention_problem.hpp"

#include <cmath>

namespace brickwork {

const SizeTable<AttentionProblem>& AttentionProblem::table() {
  using P = AttentionProblem;
  static const SizeTable<AttentionProblem> table{
      .kind = "attention",
      .sizes = {{.key = "T", .column = "T", .member = &P::T},
                {.key = "S", .column = "S", .member = &P::S, .like = &P::T},
                {.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "K", .column = "K", .member = &P::K}},
      .words = {choice("a scale: unscaled or scaled, by 1 / sqrt(K)", {"unscaled", "scaled"}, &P::scale, "scale"),
                lengths_word<P>()}};
  return table;
}

double AttentionProblem::score_scale() const {
  return scale == AttentionScale::scaled ? 1 / std::sqrt(static_cast<double>(K)) : 1;
}

void AttentionProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  check_elements("queries", {T, N, K});
  check_elements("keys", {S, N, K});
  check_elements("weights", {N, T, S});
}

}  // namespace brickwork
