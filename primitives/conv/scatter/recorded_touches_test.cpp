// What backward by data by scattering touches is what it declares.
#include "primitives/testing/recorded_touches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "primitives/conv/scatter/conv_backward_scatter.hpp"
#include "primitives/conv/scatter/conv_scatter_body.hpp"
#include "primitives/conv/scatter/conv_scatter_touches.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/testing/wrong_declarations.hpp"

namespace brickwork {
namespace {

// Notes what a call reads, and fills the tile of windows with ones.
struct WindowsOfOnes final : BrgemmKernel {
  TouchChecker* checker;

  WindowsOfOnes(const BrgemmShape& of, TouchChecker* by) : BrgemmKernel(of), checker(by) {}
  std::string_view isa() const override { return "recorded"; }

 private:
  void run(const BrgemmCall& call) const override {
    checker->touch_operands(shape(), call);
    std::fill_n(static_cast<float*>(call.c), call.rows * shape().ldc, 1.0F);
  }
};

// The body, which adds windows to dsrc by itself. The elements to which a call adds are found by their values: all are
// kBefore, then a call writes zeros to some of them and adds ones.
struct RecordedScatterBody {
  static constexpr float kBefore = 1000;

  ConvScatterBody body;
  std::vector<float>* dsrc;
  std::set<const float*>* has_sum;
  TouchChecker* checker;

  template <class Team>
  void operator()(const Team& team, const LoopIndex& at) const {
    std::ranges::fill(*dsrc, kBefore);
    body(team, at);
    for (const float& element : *dsrc) {
      if (element == kBefore || element == 0) continue;
      checker->touch(has_sum->insert(&element).second ? Access::write : Access::add, &element);
    }
  }
};

std::string scatter_difference(const ConvProblem& p, const ConvScatterPlan& plan, const NestTouches& declared) {
  if (std::string what = conv_scatter_misfit(p, plan); !what.empty()) return what;
  const ConvScatterGeometry g = conv_scatter_geometry(p, plan);
  const auto nest = LoopNest::make(conv_scatter_loops(g), plan.loops);
  if (!nest) return nest.reason();
  const auto floats = [](std::int64_t size) { return std::vector<float>(static_cast<std::size_t>(size)); };
  std::vector<float> ddst = floats(g.ddst.size()), weights = floats(g.dsrc.Cb() * g.weights_kb()),
                     dsrc = floats(nest->copies() * g.dsrc.size());
  TouchChecker checker(
      declared,
      {{"ddst",
        [&](const std::int64_t* i, std::int64_t) { return ddst.data() + g.ddst.index(i[0], i[1], i[2], i[3]); }},
       {"weights", [&](const std::int64_t* i,
                       std::int64_t) { return weights.data() + i[0] * g.weights_kb() + i[1] * g.window() + i[2]; }},
       {"dsrc", [&](const std::int64_t* i, std::int64_t copy) {
          return dsrc.data() + copy * g.dsrc.size() + g.dsrc.pixel(i[0], i[1], i[2], i[3]) + i[4];
        }}});
  const WindowsOfOnes brick(g.brick_shape(), &checker);
  const PrivateCopies<float> copies{dsrc.data(), dsrc.data() + g.dsrc.size(), g.dsrc.size()};
  std::set<const float*> has_sum;
  const RecordedScatterBody body{{g, ddst.data(), weights.data(), copies, brick}, &dsrc, &has_sum, &checker};
  nest->run(InOrder(), CheckedBody<RecordedScatterBody>{body, &checker}, copies,
            {.scratch_bytes = body.body.scratch_bytes()});
  return checker.wrong();
}

std::string of_scatter(const ConvProblem& p, const ConvScatterPlan& plan) {
  const auto declared = conv_scatter_touches(p, plan);
  return declared ? scatter_difference(p, plan, *declared) : declared.reason();
}

TEST(RecordedTouchesOfScatter, ACallTouchesWhatItDeclares) {
  for (const char* problem : {"N1 C3 K8 H12 R7 sh2 ph3", "N2 C3 K5 H5 W9 R3 ph1", "N1 C1 K3 H4", "N2 C5 K4 H7 sh3",
                              "N1 C2 K4 H2 R5 ph2", "N1 C3 K4 H3 R2 sh3 ph3"}) {
    for (const char* plan :
         {"scatter bc=3 bk=1 bq=1 loops={n} kb oj oi cb", "scatter bc=2 bk=1 bq=1 loops=kb n cb:2 oj oi",
          "scatter bc=3 bk=1 bq=1 loops={oj:2} n kb oj oi cb"}) {
      const auto p = parse_problem<ConvProblem>(problem);
      ConvScatterPlan of = parse_conv_scatter_plan(plan);
      for (const std::int64_t bk : {std::int64_t{1}, (p.C + 1) / 2, p.C}) {
        of.bk = bk, of.bq = (p.Q() + 1) / 2;
        EXPECT_EQ(of_scatter(p, of), "") << problem << "  " << to_string(of);
      }
    }
  }
}

TEST(RecordedTouchesOfScatter, RandomPlansTouchWhatTheyDeclare) {
  EXPECT_TRUE(rc::check([] {
    ConvProblem p = random_training_problem();
    p.C = std::min<std::int64_t>(p.C, 5), p.K = std::min<std::int64_t>(p.K, 12);
    p.W = std::min<std::int64_t>(p.W, 8 * p.stride_w + p.S);
    const ConvScatterPlan plan = random_scatter_plan(p);
    EXPECT_EQ(of_scatter(p, plan), "") << to_string(p) << "  " << to_string(plan);
  }));
}

// Some say the same: an index ends where the right axis ends, and pixels that a longer row would have are also reached
// from others.
TEST(RecordedTouchesOfScatter, EachWrongDeclarationIsFound) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K7 H9 W10 R3 sh2 ph1");
  const auto plan = parse_conv_scatter_plan("scatter bc=3 bk=2 bq=2 loops=cb n kb oj oi");
  EXPECT_THAT(declarations_not_found(*conv_scatter_touches(p, plan),
                                     [&](const NestTouches& wrong) { return scatter_difference(p, plan, wrong); }),
              testing::ElementsAre("size of feature", "size of q", "size of x"));
}

TEST(RecordedTouchesOfScatter, APlanThatDoesNotFitHasAReason) {
  const auto declared = conv_scatter_touches(parse_problem<ConvProblem>("C3 K8 H5 R3 ph1"),
                                             parse_conv_scatter_plan("scatter bc=9 bk=3 bq=5 loops=n kb cb oj oi"));
  ASSERT_FALSE(declared);
  EXPECT_EQ(declared.status(), Status::misfit);
  EXPECT_THAT(declared.reason(), testing::HasSubstr("bc must be from 1 to K = 8"));
}

}  // namespace
}  // namespace brickwork
