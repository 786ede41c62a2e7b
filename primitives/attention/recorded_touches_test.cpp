// What attention's forward pass touches is what it declares.
#include "primitives/testing/recorded_touches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "primitives/attention/attention_touches.hpp"
#include "primitives/attention/blocked_attention.hpp"
#include "primitives/nest/testing/on_one_thread.hpp"
#include "primitives/testing/wrong_declarations.hpp"

namespace brickwork {
namespace {

// A tensor of states, each element of which has its own number, from 1, as a value. Tasks copy states to their scratch:
// the values there say from which elements they come.
struct NumberedStates {
  RnnSteps layout;
  std::vector<float> memory;

  explicit NumberedStates(const RnnSteps& of) : layout(of), memory(static_cast<std::size_t>(of.elements())) {
    std::iota(memory.begin(), memory.end(), 1.0F);
  }

  const float* origin(float value) const { return &memory.at(static_cast<std::size_t>(value) - 1); }

  struct At {
    std::int64_t n, slot, feature;
  };
  At at(const float* element) const {
    const std::int64_t i = element - memory.data(), rest = i % layout.block_size();
    return {rest % layout.slot_size() / layout.block, rest / layout.slot_size(),
            i / layout.block_size() * layout.block + i % layout.block};
  }
  TouchChecker::Place place() const {  // [n][step][feature]
    return [this](const std::int64_t* i, std::int64_t) {
      return &memory.at(static_cast<std::size_t>(layout.at(0, i[2], i[1], i[0])));
    };
  }
};

struct RecordedAttention {
  AttentionProblem p;
  AttentionPlan plan;
  NumberedStates queries, keys, values, context;
  std::vector<float> weights;  // [N][T][S]; stands for the tiles, which are the driver's own
  TouchChecker scores_checker, context_checker;
  const float* tile = nullptr;  // of the current task
  std::int64_t n = 0, t = 0;    // the current task's sequence and first step
  std::int64_t steps_done = 0;  // encoder steps of the current sum

  RecordedAttention(const AttentionProblem& problem, const AttentionPlan& with, const AttentionTouches& declared)
      : p(problem),
        plan(with),
        queries({.parts = 1, .size = p.K, .block = plan.bk, .slots = p.T, .N = p.N}),
        keys({.parts = 1, .size = p.K, .block = plan.bk, .slots = p.S, .N = p.N}),
        values(keys),
        context(queries),
        weights(static_cast<std::size_t>(p.N * p.T * p.S)),
        scores_checker(declared.scores, places()),
        context_checker(declared.context, places()) {}

  std::map<std::string, TouchChecker::Place> places() const {
    return {{"queries", queries.place()},
            {"keys", keys.place()},
            {"values", values.place()},
            {"context", context.place()},
            {"weights", [this](const std::int64_t* i, std::int64_t) {
               return &weights.at(static_cast<std::size_t>((i[0] * p.T + i[1]) * p.S + i[2]));
             }}};
  }

  std::int64_t steps() const { return std::min(plan.bt, p.T - t); }
  const float* weight(std::int64_t s, std::int64_t step) const {
    return &weights.at(static_cast<std::size_t>((n * p.T + t + step) * p.S + s));
  }
  CallAt call_of(std::int64_t feature) const {
    const std::int64_t tb = t / plan.bt, kb = feature / plan.tk;
    return {.loops = {{n, n + 1}, {tb, tb + 1}, {kb, kb + 1}}, .last = true};
  }

  void score(const BrgemmShape& shape, const BrgemmCall& call) {
    const auto *const a = call.batch.a<float>(0), *const b = call.batch.b<float>(0);
    const auto [n_of_call, t_of_call, feature] = queries.at(queries.origin(b[0]));
    n = n_of_call, t = t_of_call, tile = static_cast<const float*>(call.c);
    for (std::int64_t k = 0; k < shape.k; ++k) {
      for (std::int64_t s = 0; s < call.rows; ++s)
        scores_checker.touch(Access::read, keys.origin(a[s * shape.lda + k]));
      for (std::int64_t j = 0; j < steps(); ++j)
        scores_checker.touch(Access::read, queries.origin(b[k * shape.ldb + j]));
    }
    for (std::int64_t s = 0; s < call.rows; ++s) {
      for (std::int64_t j = 0; j < steps(); ++j)
        scores_checker.touch(shape.beta == 0 ? Access::write : Access::add, weight(s, j));
    }
    CallAt at = call_of(feature);
    at.last = at.loops[2].end == scores_checker.declared().loops[2].extent;
    scores_checker.end_call(at);
  }

  void sum_values(const BrgemmShape& shape, const BrgemmCall& call) {
    const auto* const c = static_cast<const float*>(call.c);
    for (std::int64_t i = 0; i < call.batch.size; ++i) {
      for (std::int64_t x = 0; x < shape.k; ++x) {
        const std::int64_t s = (call.batch.a<float>(i) - tile) / shape.lda + x;
        for (std::int64_t j = 0; j < call.rows; ++j) context_checker.touch(Access::read, weight(s, j));
        for (std::int64_t k = 0; k < shape.n; ++k)
          context_checker.touch(Access::read, values.origin(call.batch.b<float>(i)[x * shape.ldb + k]));
      }
    }
    for (std::int64_t j = 0; j < call.rows; ++j)
      context_checker.touch(shape.beta == 0 ? Access::write : Access::add, c + j * shape.ldc, shape.n);
    steps_done += call.batch.size * shape.k;
    if (steps_done < p.S) return;
    steps_done = 0;
    context_checker.end_call(call_of(context.at(c).feature));
  }
};

struct RecordedKernel final : BrgemmKernel {
  RecordedAttention* attention;

  RecordedKernel(const BrgemmShape& of, RecordedAttention* by) : BrgemmKernel(of), attention(by) {}
  std::string_view isa() const override { return "recorded"; }

 private:
  void run(const BrgemmCall& call) const override {
    shape().a_transposed ? attention->sum_values(shape(), call) : attention->score(shape(), call);
  }
};

std::string attention_difference(const AttentionProblem& p, const AttentionPlan& plan, RnnUse use,
                                 const AttentionTouches& declared) {
  RecordedAttention r(p, plan, declared);
  auto attention =
      BlockedAttention::make({.problem = p, .decoder = r.queries.layout, .encoder = r.keys.layout}, plan, use, {},
                             [&](const BrgemmShape& shape, const BrgemmHints&) -> Result<BrgemmKernelPtr> {
                               return BrgemmKernelPtr(std::make_shared<RecordedKernel>(shape, &r));
                             });
  if (!attention) return attention.reason();
  on_one_thread([&] {
    (*attention)
        .run(r.queries.memory.data(), r.keys.memory.data(), r.values.memory.data(), nullptr, r.context.memory.data());
  });
  const auto& loops = declared.scores.loops;
  const std::int64_t calls = loops[0].extent * loops[1].extent * loops[2].extent;
  if (r.scores_checker.calls() != calls || r.context_checker.calls() != calls) return "some calls are missing";
  return r.scores_checker.wrong() + r.context_checker.wrong();
}

constexpr RnnUse kUses[] = {RnnUse::inference, RnnUse::training};

TEST(RecordedTouchesOfAttention, DefaultPlansTouchWhatTheyDeclare) {
  for (const char* text : {"T1 S1 N1 K1", "T1 S2 N3 K5", "T5 S7 N4 K17", "T17 S33 N2 K65", "T3 S40 N2 K20"}) {
    const auto p = parse_problem<AttentionProblem>(text);
    const AttentionPlan plan = plan_attention(p, {.threads = 2});
    for (const RnnUse use : kUses) {
      EXPECT_EQ(attention_difference(p, plan, use, attention_touches(p, plan)), "") << text << "  " << to_string(plan);
    }
  }
}

TEST(RecordedTouchesOfAttention, RandomPlansTouchWhatTheyDeclare) {
  EXPECT_TRUE(rc::check([] {
    const auto pick = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    const AttentionProblem p{.T = pick(1, 20), .S = pick(1, 20), .N = pick(1, 4), .K = pick(1, 30)};
    AttentionPlan plan{.tk = pick(1, p.K), .bt = pick(1, p.T), .bs = pick(1, p.S)};
    plan.gk = plan.tk * pick(1, p.K / plan.tk);
    plan.bk = plan.gk * pick(1, p.K / plan.gk);
    const RnnUse use = *rc::gen::element(RnnUse::inference, RnnUse::training);
    EXPECT_EQ(attention_difference(p, plan, use, attention_touches(p, plan)), "")
        << to_string(p) << "  " << to_string(plan);
  }));
}

// Some say the same: an index ends where the right axis ends, without a reduction each call is a last one, and each
// element of context is written once.
TEST(RecordedTouchesOfAttention, EachWrongDeclarationIsFound) {
  const auto p = parse_problem<AttentionProblem>("T5 S4 N2 K7");
  const AttentionPlan plan{.bk = 4, .gk = 4, .tk = 2, .bt = 2, .bs = 3};
  const AttentionTouches right = attention_touches(p, plan);
  for (const RnnUse use : kUses) {
    const auto of_scores = [&](const NestTouches& wrong) {
      return attention_difference(p, plan, use, {wrong, right.context});
    };
    const auto of_context = [&](const NestTouches& wrong) {
      return attention_difference(p, plan, use, {right.scores, wrong});
    };
    EXPECT_THAT(declarations_not_found(right.scores, of_scores), testing::ElementsAre("size of t", "size of s"));
    EXPECT_THAT(declarations_not_found(right.context, of_context),
                testing::ElementsAre("size of t", "size of s", "other at_last of values", "other at_last of weights",
                                     "other at_last of context", "context is reduced"));
  }
}

}  // namespace
}  // namespace brickwork
