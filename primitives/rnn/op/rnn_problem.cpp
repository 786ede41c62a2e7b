#include "primitives/rnn/op/rnn_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<RnnProblem>& RnnProblem::table() {
  using P = RnnProblem;
  static const SizeTable<RnnProblem> table{
      .kind = "rnn",
      .sizes = {{.key = "T", .column = "T", .member = &P::T},
                {.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "C", .column = "C", .member = &P::C},
                {.key = "K", .column = "K", .member = &P::K, .like = &P::C},
                {.key = "L", .column = "layers", .member = &P::L}},
      .words = {choice("a cell: lstm, gru, lbr-gru, rnn-tanh or rnn-relu, without peepholes and projection",
                       {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}, &P::cell, "cell"),
                choice("a direction: forward, reverse or bidirectional", {"forward", "reverse", "bidirectional"},
                       &P::direction, "direction"),
                lengths_word<P>()}};
  return table;
}

std::int64_t RnnProblem::gates() const {
  constexpr std::int64_t kOfCells[] = {4, 3, 3, 1, 1};  // in the order of RnnCell
  return kOfCells[static_cast<int>(cell)];
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
  check_elements("x", {T, N, C});
  check_elements("y", {T, N, D() * K});
  check_elements("the tensor of gates", {T, N, D(), gates(), K});
  check_elements("weights_layer.0", {D(), C, gates(), K});
  check_elements("weights_iter.0", {D(), K, gates(), K});
  check_elements("h0", {L * D(), N, K});
}

}  // namespace brickwork
