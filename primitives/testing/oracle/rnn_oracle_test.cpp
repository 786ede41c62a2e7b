// Compares recurrent layers, forward and backward, with plain loops.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "primitives/nest/integers.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"
#include "primitives/rnn/testing/rnn_check.hpp"
#include "primitives/testing/oracle/plain_rnn.hpp"
#include "primitives/testing/oracle/random_driver.hpp"

namespace brickwork::oracle {
namespace {

RnnProblem random_rnn() {
  RnnProblem p;
  p.T = up_to(5), p.N = up_to(5);
  p.C = up_to(3) == 1 ? random_size({16, 32}) : up_to(12);
  p.K = up_to(3) == 1 ? random_size({16, 32}) : up_to(12);
  p.L = up_to(4) == 1 ? 2 : 1;
  p.cell = *rc::gen::element(RnnCell::lstm, RnnCell::gru, RnnCell::lbr_gru, RnnCell::rnn_tanh, RnnCell::rnn_relu);
  p.direction = *rc::gen::element(RnnDirection::forward, RnnDirection::reverse, RnnDirection::bidirectional);
  p.lengths = *rc::gen::element(SequenceLengths::equal, SequenceLengths::unequal);
  return p;
}

RnnPlan random_rnn_plan(const RnnProblem& p) {
  if (*rc::gen::arbitrary<bool>()) return plan_rnn(p, random_machine());
  const std::int64_t vectors = ceil_div(p.K, std::int64_t{16});
  RnnPlan plan{.bc = up_to(p.C), .bk = 16 * up_to(vectors), .bn = up_to(p.N), .steps = up_to(p.T)};
  plan.bh = plan.bk * up_to(16 * vectors / plan.bk);
  return plan;
}

// With ordinary weights sums are about 1. After a sequence's end lies NaN, which nothing may read.
void fill_rnn(const RnnProblem& p, PlainTensors& in, SownValues& values) {
  for (const TensorInfo& info : in.infos()) {
    if (info.dtype != DType::f32 || info.size() == 0) continue;
    const bool layer = info.name.starts_with("weights_layer"), iter = info.name.starts_with("weights_iter");
    const double terms = layer || iter ? static_cast<double>(info.dims[1]) : 1;
    values.fill(in, info.name, static_cast<float>(std::sqrt((layer ? 3.0 : 1.0) / terms)));
  }
  if (!p.unequal()) return;
  values.fill_whole(in, "lengths", 1, static_cast<int>(p.T));
  for (const TensorInfo& info : in.infos()) {
    if (info.name != "x" && info.name != "dy") continue;
    const std::int64_t features = info.dims[2];
    for (std::int64_t t = 0; t < p.T; ++t)
      for (std::int64_t n = 0; n < p.N; ++n) {
        if (t < in.at<std::int32_t>("lengths")[n]) continue;
        std::fill_n(in.at<float>(info.name) + (t * p.N + n) * features, features, NAN);
      }
  }
}

// run(problem, plan, inputs, place)
//
// Features that pad a block of the state have weights of 0. Times an infinity in x or in the state they give NaN, which
// the next product with the state spreads to the whole sequence. Infinities are therefore sown only if no feature pads
// a block.
template <class Op, class Run>
void check_rnn(Outcomes (*oracle)(const RnnProblem&, const PlainTensors&), const Run& run) {
  RnnProblem p = random_rnn();
  const Sown sown = random_sown();
  const bool infinite = sown == Sown::infinities || sown == Sown::all;
  if (infinite) p.K = 16 * up_to(2);
  RnnPlan plan = random_rnn_plan(p);
  if (infinite) plan.bh = plan.bk = 16;
  const Brick brick = random_brick();
  SownValues values(sown, random_seed());
  PlainTensors in(Op::inputs(p));
  fill_rnn(p, in, values);
  const PlainTensors out = run(p, plan, in, RnnOnHost(brick.backend, brick.isa, {}));
  require_none(difference(out, oracle(p, in)),
               fmt::format("{} {} {}", brickwork::to_string(p), brickwork::to_string(plan), to_string(brick)), sown);
}

TEST(RnnOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    const RnnUse use = *rc::gen::element(RnnUse::inference, RnnUse::training);
    check_rnn<RnnForwardOp>(rnn_forward, [&](const auto& p, const auto& plan, const auto& in, const auto& place) {
      return run_rnn(p, plan, use, in, place);
    });
  }));
}

TEST(RnnOracle, RandomBackward) {
  EXPECT_TRUE(rc::check([] {
    check_rnn<RnnBackwardOp>(rnn_backward, [](const auto& p, const auto& plan, const auto& in, const auto& place) {
      return run_rnn_backward(p, plan, in, place);
    });
  }));
}

}  // namespace
}  // namespace brickwork::oracle
