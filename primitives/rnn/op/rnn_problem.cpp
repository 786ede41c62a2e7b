#include "rnn_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<RnnProblem>& RnnProblem::table() {
  using P = RnnProblem;
  static const SizeTable<RnnProblem> table = [] {
    auto word = [](std::string_view column, Word<RnnProblem> of) {
      of.column = column;
      return of;
    };
    return SizeTable<RnnProblem>{
        .kind = "rnn",
        .sizes = {{.key = "T", .column = "T", .member = &P::T},
                  {.key = "N", .column = "N", .member = &P::N, .setting = true},
                  {.key = "C", .column = "C", .member = &P::C},
                  {.key = "K", .column = "K", .member = &P::K, .like = &P::C},
                  {.key = "L", .column = "layers", .member = &P::L}},
        .words = {
            word("cell", choice("a cell: lstm, gru, lbr-gru, rnn-tanh or rnn-relu, without peepholes and projection",
                                {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}, &P::cell)),
            word("direction", choice("a direction: forward, reverse or bidirectional",
                                     {"forward", "reverse", "bidirectional"}, &P::direction)),
            word("lengths", choice("lengths: equal or unequal", {"equal", "unequal"}, &P::lengths))}};
  }();
  return table;
}

std::int64_t RnnProblem::gates() const {
  switch (cell) {
    case RnnCell::lstm:
      return 4;
    case RnnCell::gru:
    case RnnCell::lbr_gru:
      return 3;
    case RnnCell::rnn_tanh:
    case RnnCell::rnn_relu:
      return 1;
  }
  throw std::logic_error("there is no such cell");
}

std::int64_t RnnProblem::biases() const { return gates() + (cell == RnnCell::lbr_gru ? 1 : 0); }

double RnnProblem::values_between(std::int64_t of_each) const {
  return static_cast<double>(L * D() * T) * static_cast<double>(N) * static_cast<double>(of_each * K);
}

double RnnProblem::flops() const {
  double flops = 0;
  for (std::int64_t l = 0; l < L; ++l) {
    const double weights = static_cast<double>(gates() * K) * static_cast<double>(features(l) + K);
    flops += 2.0 * static_cast<double>(T) * static_cast<double>(N) * static_cast<double>(D()) * weights;
  }
  return flops;
}

void RnnProblem::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  if (L > 1000) throw std::invalid_argument(fmt::format("L is {}: at most 1000 layers are allowed", L));
  if (count < 1) throw std::invalid_argument(fmt::format("count is {}: it must be at least 1", count));
  check_elements("x", {T, N, C});
  check_elements("y", {T, N, D() * K});
  check_elements("what backward reads of the gates", {T, N, D(), gates(), K});
  check_elements("weights_layer.0", {D(), C, gates(), K});
  check_elements("weights_iter.0", {D(), K, gates(), K});
  check_elements("h0", {L * D(), N, K});
}

template <class Number>
void check_lengths(const RnnProblem& p, std::span<const Number> lengths) {
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] >= 1 && lengths[n] <= static_cast<Number>(p.T)) continue;
    throw std::invalid_argument(
        fmt::format("sequence {} is {} steps long: each must be from 1 to T = {}", n, lengths[n], p.T));
  }
}
template void check_lengths(const RnnProblem&, std::span<const std::int32_t>);
template void check_lengths(const RnnProblem&, std::span<const double>);

}  // namespace brickwork
