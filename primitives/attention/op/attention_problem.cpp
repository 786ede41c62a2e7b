#include "attention_problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace brickwork {

const SizeTable<AttentionProblem>& AttentionProblem::table() {
  using P = AttentionProblem;
  static const SizeTable<AttentionProblem> table = [] {
    auto word = [](std::string_view column, Word<P> of) {
      of.column = column;
      return of;
    };
    return SizeTable<P>{
        .kind = "attention",
        .sizes = {{.key = "T", .column = "T", .member = &P::T},
                  {.key = "S", .column = "S", .member = &P::S, .like = &P::T},
                  {.key = "N", .column = "N", .member = &P::N, .setting = true},
                  {.key = "K", .column = "K", .member = &P::K}},
        .words = {
            word("scale", choice("a scale: unscaled or scaled, by 1 / sqrt(K)", {"unscaled", "scaled"}, &P::scale)),
            word("lengths", choice("lengths: equal or unequal", {"equal", "unequal"}, &P::lengths))}};
  }();
  return table;
}

double AttentionProblem::score_scale() const {
  return scale == AttentionScale::scaled ? 1 / std::sqrt(static_cast<double>(K)) : 1;
}

void AttentionProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  if (count < 1) throw std::invalid_argument(fmt::format("count is {}: it must be at least 1", count));
  check_elements("queries", {T, N, K});
  check_elements("keys", {S, N, K});
  check_elements("weights", {N, T, S});
}

template <class Number>
void check_lengths(const AttentionProblem& p, std::span<const Number> lengths) {
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] >= 1 && lengths[n] <= static_cast<Number>(p.S)) continue;
    throw std::invalid_argument(
        fmt::format("sequence {} is {} steps long: each must be from 1 to S = {}", n, lengths[n], p.S));
  }
}
template void check_lengths(const AttentionProblem&, std::span<const std::int32_t>);
template void check_lengths(const AttentionProblem&, std::span<const double>);

}  // namespace brickwork
