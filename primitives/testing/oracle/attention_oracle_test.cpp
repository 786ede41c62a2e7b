// Compares attention forward and backward with plain loops.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "primitives/attention/attention.hpp"
#include "primitives/attention/op/attention_ops.hpp"
#include "primitives/testing/oracle/plain_attention.hpp"
#include "primitives/testing/oracle/random_driver.hpp"

namespace brickwork::oracle {
namespace {

AttentionProblem random_attention(std::int64_t least_S) {
  const auto steps = [] { return up_to(3) == 1 ? random_size({16, 32}) : up_to(12); };
  AttentionProblem p;
  p.T = steps(), p.S = std::max(least_S, steps()), p.N = up_to(4);
  p.K = random_size({8, 16, 32});
  p.scale = *rc::gen::element(AttentionScale::unscaled, AttentionScale::scaled);
  p.lengths = *rc::gen::element(SequenceLengths::equal, SequenceLengths::unequal);
  return p;
}

AttentionPlan random_attention_plan(const AttentionProblem& p) {
  if (*rc::gen::arbitrary<bool>()) return plan_attention(p, random_machine());
  AttentionPlan plan{.tk = up_to(p.K), .bt = up_to(p.T), .bs = up_to(p.S)};
  plan.gk = plan.tk * up_to(p.K / plan.tk);
  plan.bk = plan.gk * up_to(p.K / plan.gk);
  return plan;
}

// Ordinary scores are about 1; after a sequence's end lies NaN.
template <class Op>
PlainTensors attention_inputs(const AttentionProblem& p, Sown sown) {
  SownValues values(sown, random_seed());
  PlainTensors in(Op::inputs(p));
  values.fill(in);
  values.fill(in, "queries", p.scale == AttentionScale::scaled ? 3 : 3 / std::sqrt(static_cast<float>(p.K)));
  if (!p.unequal()) return in;
  values.fill_whole(in, "lengths", 1, static_cast<int>(p.S));
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t s = in.at<std::int32_t>("lengths")[n]; s < p.S; ++s)
      for (const char* name : {"keys", "values"}) std::fill_n(in.at<float>(name) + (s * p.N + n) * p.K, p.K, NAN);
  return in;
}

// finish(attention, outputs) after attention has run.
template <class Op, class Finish>
void check_attention(Outcomes (*oracle)(const AttentionProblem&, const PlainTensors&), const Finish& finish) {
  const AttentionProblem p = random_attention(std::is_same_v<Op, AttentionBackwardOp> ? 2 : 1);
  const AttentionPlan plan = random_attention_plan(p);
  const Brick brick = random_brick();
  const Sown sown = random_sown();
  const PlainTensors in = attention_inputs<Op>(p, sown);
  auto made = Attention::make({p, RnnUse::training}, plan, brick.backend, brick.isa);
  RC_ASSERT(bool(made));
  Attention attention = *std::move(made);
  attention.set_states(in.at<float>("queries"), in.at<float>("keys"), in.at<float>("values"));
  attention.set_lengths(in.at<std::int32_t>("lengths"));
  attention.run();
  PlainTensors out = unwritten(Op::outputs(p));
  finish(attention, in, out);
  require_none(difference(out, oracle(p, in)),
               fmt::format("{} {} {}", brickwork::to_string(p), brickwork::to_string(plan), to_string(brick)), sown);
}

TEST(AttentionOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    check_attention<AttentionForwardOp>(attention_forward, [](auto& attention, const PlainTensors&, PlainTensors& out) {
      attention.get_context(out.at<float>("context"));
      attention.get_weights(out.at<float>("weights"));
    });
  }));
}

TEST(AttentionOracle, RandomBackward) {
  EXPECT_TRUE(rc::check([] {
    check_attention<AttentionBackwardOp>(
        attention_backward, [](auto& attention, const PlainTensors& in, PlainTensors& out) {
          attention.set_gradient(in.at<float>("dcontext"));
          attention.run_backward();
          attention.get_gradients(out.at<float>("dqueries"), out.at<float>("dkeys"), out.at<float>("dvalues"));
        });
  }));
}

}  // namespace
}  // namespace brickwork::oracle
