// What convolution's drivers touch is what they declare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "primitives/conv/backward/conv_backward_touches.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/forward/conv_forward_touches.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/conv/testing/recorded_conv.hpp"
#include "primitives/conv/update/conv_update_touches.hpp"
#include "primitives/testing/wrong_declarations.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct ProblemAndPlan {
  const char *problem, *plan;
};

constexpr ProblemAndPlan kForward[] = {
    {"N1 C8 K8 H4", "bc=8 bk=8 bq=4 rows loops=n kb cb oj oi"},
    {"N2 C8 K8 H4", "bc=4 bk=2 bq=16 flat loops={n kb} cb oj oi"},
    {"N2 C9 K7 H4 W5", "bc=4 bk=3 bq=6 flat loops=kb n oi oj cb:2"},
    {"N3 C5 K5 H1 W1", "bc=2 bk=5 bq=1 flat loops=cb n kb oj oi"},
    {"N1 C12 K10 H1 W13 bias+residual+relu", "bc=5 bk=4 bq=4 flat loops=cb {kb} n oj oi"},
    {"N2 C6 K6 H5 R3 ph1", "bc=3 bk=6 bq=5 rows loops={n kb} oj oi cb:2"},
    {"N2 C6 K6 H5 R3 ph1 bias", "bc=3 bk=4 bq=2 rows loops=cb n kb oj oi"},
    {"N1 C6 K6 H5 R3 ph1 residual", "bc=4 bk=6 bq=3 taps=k loops=n kb oj oi cb"},
    {"N1 C3 K16 H15 R7 sh2 ph3", "bc=3 bk=16 bq=8 taps=k loops={n oj} kb oi cb"},
    {"N2 C3 K9 H9 W12 R7 sh2 ph3 bias+relu", "bc=2 bk=4 bq=4 loops=oj n kb oi cb"},
    {"N1 C4 K4 H9 sh2", "bc=2 bk=4 bq=5 rows loops=n kb cb oj oi"},
    {"N1 C4 K4 H10 sh3 bias+residual", "bc=4 bk=2 bq=2 rows loops=n oi oj kb cb"},
    {"N1 C4 K4 H2 R5 ph2", "bc=4 bk=4 bq=2 loops=n kb cb oj oi"},
    {"N2 C4 K4 H1 W3 R3 ph1", "bc=1 bk=4 bq=2 loops=n kb oj cb:3 oi"},
    {"N1 C4 K4 H3 R2 sh3 ph3", "bc=4 bk=4 bq=1 loops=n kb cb oj oi"},
    {"N1 C4 K5 H6 W7 R2 S5 pw3", "bc=4 bk=5 bq=7 taps=k loops=n kb cb oj oi"},
    {"N1 C4 K4 H6 R3 sh1 sw2 ph1 pw0", "bc=3 bk=3 bq=2 loops=n:1 kb cb oj:4 oi oj"},
    {"N4 C7 K7 H3 R3 ph1 bias+residual+relu", "bc=2 bk=2 bq=3 loops=n:2 {kb} cb:3 n oj oi cb"},
    {"N5 C8 K8 H3 R3", "bc=8 bk=8 bq=1 weights=prefetch src=prefetch loops={n} kb cb oj oi"},
};

constexpr ProblemAndPlan kBackward[] = {
    {"N2 C8 K8 H4", "bc=4 bk=2 bq=16 flat loops={n kb} cb oj oi"},
    {"N1 C6 K6 H5 R3 ph1", "bc=3 bk=4 bq=2 rows loops=cb n kb oj oi"},
    {"N1 C6 K7 H5 R3 ph1 residual+relu", "bc=4 bk=4 bq=3 taps=k loops=n kb oj oi cb"},
    {"N1 C6 K6 H8 sh2", "bc=3 bk=4 bq=2 rows loops=n kb cb oj oi"},
    {"N2 C6 K6 H7 W8 sh2 residual", "bc=6 bk=4 bq=3 rows loops={n oi} kb oj cb"},
    {"N2 C5 K6 H7 sh3 residual+relu", "bc=2 bk=4 bq=2 rows loops=cb {n oi} kb oj"},
    {"N1 C3 K8 H12 R7 sh2 ph3", "bc=8 bk=3 bq=4 loops=n kb oj oi cb"},
    {"N1 C5 K5 H9 R3 sh2 ph1", "bc=2 bk=3 bq=4 loops=n oj kb oi cb:2"},
    {"N1 C4 K4 H6 R2 sh3", "bc=4 bk=4 bq=2 loops=n kb cb oj oi"},
    {"N1 C4 K4 H2 R5 ph2", "bc=2 bk=4 bq=2 loops=n kb cb oj oi"},
};

constexpr ProblemAndPlan kUpdate[] = {
    {"N1 C8 K8 H4", "bc=8 bk=8 flat loops=n kb cb oj r s"},
    {"N3 C9 K7 H4 bias", "bc=4 bk=3 bq=8 flat loops=n:2 kb cb oj r s"},
    {"N3 C9 K7 H4 bias", "bc=4 bk=3 bq=4 flat loops={n:2} kb cb oj:3 r s n"},
    {"N5 C6 K6 H5 R3 ph1", "bc=3 bk=4 rows loops={n:2} n oj kb cb r s"},
    {"N2 C6 K6 H5 R3 ph1 bias", "bc=3 bk=4 rows loops={kb cb} n:2 oj:3 r s"},
    {"N2 C6 K6 H5 R3 ph1 bias", "bc=6 bk=6 taps=m loops=n kb cb oj:5 r s"},
    {"N2 C3 K8 H12 R7 sh2 ph3 bias", "bc=3 bk=8 taps=m loops={n} oj:2 kb cb r s"},
    {"N2 C3 K8 H12 R7 sh2 ph3", "bc=2 bk=5 rows loops=r s n oj kb cb"},
    {"N1 C4 K4 H9 sh2 bias", "bc=4 bk=4 rows loops=n oj:2 kb cb r s"},
    {"N1 C4 K4 H3 R2 sh3 ph3 bias", "bc=4 bk=4 rows loops=n oj kb cb r s"},
    {"N1 C4 K4 H2 R5 ph2 bias", "bc=2 bk=4 rows loops=cb n oj kb r s"},
    {"N2 C4 K4 H1 W9 bias", "bc=4 bk=3 bq=3 flat loops={kb} n oj:2 cb r s"},
};

// The difference between what a pass touches and what it declares, or why it declares nothing.
std::string of_forward(const ConvView& view, const ConvPlan& plan) {
  const auto declared = conv_forward_touches(view, plan);
  return declared ? forward_difference(view, plan, *declared) : declared.reason();
}
std::string of_backward(const ConvProblem& p, const ConvPlan& plan) {
  const auto declared = conv_backward_touches(p, plan);
  return declared ? backward_difference(p, plan, *declared) : declared.reason();
}
std::string of_update(const ConvProblem& p, const ConvUpdatePlan& plan, std::int64_t ddst_room_w = 0) {
  const auto declared = conv_update_touches(p, plan, ddst_room_w);
  return declared ? update_difference(p, plan, *declared, ddst_room_w) : declared.reason();
}

TEST(RecordedTouchesOfConv, ForwardTouchesWhatItDeclares) {
  for (const auto& [problem, plan] : kForward) {
    EXPECT_EQ(of_forward(forward_view(parse_problem<ConvProblem>(problem)), parse_conv_plan(plan)), "")
        << problem << "  " << plan;
  }
}

TEST(RecordedTouchesOfConv, BackwardByDataTouchesWhatItDeclares) {
  for (const auto& [problem, plan] : kBackward) {
    EXPECT_EQ(of_backward(parse_problem<ConvProblem>(problem), parse_conv_plan(plan)), "") << problem << "  " << plan;
  }
}

TEST(RecordedTouchesOfConv, TheUpdateTouchesWhatItDeclares) {
  for (const auto& [problem, plan] : kUpdate) {
    EXPECT_EQ(of_update(parse_problem<ConvProblem>(problem), parse_conv_update_plan(plan)), "")
        << problem << "  " << plan;
  }
}

// Rows with zeros for another layer.
TEST(RecordedTouchesOfConv, OutputsInRowsWithZerosAreWhereTheDeclarationSays) {
  const auto p = parse_problem<ConvProblem>("N2 C6 K6 H5 R3 ph1 bias+residual");
  ConvView view = forward_view(p);
  view.dst_room_w = 2;
  EXPECT_EQ(of_forward(view, parse_conv_plan("bc=3 bk=4 bq=2 rows loops=cb n kb oj oi")), "");
  const auto plan = parse_conv_update_plan("bc=3 bk=4 rows loops={kb cb} n:2 oj:3 r s");
  EXPECT_EQ(of_update(p, plan, 2), "");
}

// Fewer features and pixels than random_conv.hpp draws, as each element of each call is looked up.
ConvProblem small(ConvProblem p) {
  p.C = std::min<std::int64_t>(p.C, 20), p.K = std::min<std::int64_t>(p.K, 20);
  p.W = std::min<std::int64_t>(p.W, 12 * p.stride_w + p.S);
  return p;
}

TEST(RecordedTouchesOfConv, RandomPlansTouchWhatTheyDeclare) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = small(random_conv_problem());
    for (const ConvPlan& plan : {random_conv_plan(p), plan_conv_forward(p, {.threads = 2, .l2_bytes = 1 << 12})}) {
      EXPECT_EQ(of_forward(forward_view(p), plan), "") << to_string(p) << "  " << to_string(plan);
    }
  }));
}

TEST(RecordedTouchesOfConv, RandomPlansOfBackwardTouchWhatTheyDeclare) {
  EXPECT_TRUE(rc::check([] {
    ConvProblem p = small(random_training_problem(ConvBackwardDataOp::steps));
    if (p.epilogue.activation != Activation::none) p.epilogue.activation = Activation::relu;
    const auto phases = backward_phases(p);
    RC_PRE(phases.front().has_taps() && lie_beside_the_first(phases));
    const ConvPlan plan = random_conv_plan(phases.front().view);
    EXPECT_EQ(of_backward(p, plan), "") << to_string(p) << "  " << to_string(plan);
  }));
}

TEST(RecordedTouchesOfConv, RandomPlansOfTheUpdateTouchWhatTheyDeclare) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = small(random_training_problem(ConvWeightUpdateOp::steps));
    ConvUpdatePlan plan = random_update_plan(p);
    if (plan.gathers) plan.gathers = false, plan.pixels = Pixels::rows, plan.bq = 0;
    EXPECT_EQ(of_update(p, plan), "") << to_string(p) << "  " << to_string(plan);
  }));
}

TEST(RecordedTouchesOfConv, EachWrongDeclarationOfForwardIsFound) {
  const ConvView view = forward_view(parse_problem<ConvProblem>("N3 C7 K7 H9 W10 R3 sh2 ph1 bias+residual+relu"));
  const auto plan = parse_conv_plan("bc=3 bk=3 bq=2 rows loops=cb n kb oj oi");
  EXPECT_THAT(declarations_not_found(*conv_forward_touches(view, plan),
                                     [&](const NestTouches& wrong) { return forward_difference(view, plan, wrong); }),
              IsEmpty());
}

// Only point 0 of c, r and s is in range in `ones` and dbias.
TEST(RecordedTouchesOfConv, EachWrongDeclarationOfTheUpdateIsFound) {
  const auto p = parse_problem<ConvProblem>("N3 C3 K7 H9 R3 sh2 ph1 bias");
  const auto plan = parse_conv_update_plan("bc=1 bk=3 rows loops=n oj:2 kb cb r s");
  EXPECT_THAT(declarations_not_found(*conv_update_touches(p, plan),
                                     [&](const NestTouches& wrong) { return update_difference(p, plan, wrong); }),
              UnorderedElementsAre("larger factor 0 of ones[1]", "larger factor 0 of ones[2]",
                                   "larger factor 0 of ones[3]", "larger factor 0 of dbias[1]",
                                   "larger factor 0 of dbias[2]", "larger factor 0 of dbias[3]"));
}

// The computed phase has one tap, and each pixel without taps is written once.
TEST(RecordedTouchesOfConv, EachWrongDeclarationOfAPhaseIsFound) {
  const auto p = parse_problem<ConvProblem>("N2 C7 K7 H7 W8 sh2 residual+relu");
  const auto plan = parse_conv_plan("bc=3 bk=3 bq=2 rows loops=cb n kb oj oi");
  const auto nests = conv_backward_touches(p, plan);
  ASSERT_EQ(nests->size(), 1U);
  EXPECT_THAT(
      declarations_not_found(nests->front(),
                             [&](const NestTouches& wrong) { return backward_difference(p, plan, {wrong}); }),
      UnorderedElementsAre("larger factor 1 of src[2]", "no term 1 of src[2]", "larger factor 1 of src[3]",
                           "no term 1 of src[3]", "larger factor 0 of weights[2]", "no term 0 of weights[2]",
                           "larger factor 0 of weights[3]", "no term 0 of weights[3]", "dst_without_taps_1 is reduced",
                           "dst_without_taps_2 is reduced", "dst_without_taps_3 is reduced"));
}

// Plans whose touches no affine index expresses are refused with a sentence, and so are those that do not fit.
TEST(RecordedTouchesOfConv, WhatCannotBeDeclaredHasAReason) {
  const auto expect_refused = [](const auto& touches, Status status, const char* what) {
    ASSERT_FALSE(touches);
    EXPECT_EQ(touches.status(), status);
    EXPECT_THAT(touches.reason(), HasSubstr(what));
  };
  const auto p = parse_problem<ConvProblem>("N2 C8 K8 H7 sh2"),
             padded = parse_problem<ConvProblem>("N2 C8 K8 H7 sh2 ph1");
  const auto joined = parse_conv_plan("bc=8 bk=8 bq=4 joined loops=n kb cb oj oi");
  const auto wide = parse_conv_plan("bc=9 bk=8 bq=4 loops=n kb cb oj oi");
  const auto rows = parse_conv_plan("bc=8 bk=8 bq=2 loops=n kb cb oj oi");
  expect_refused(conv_forward_touches(forward_view(p), joined), Status::unsupported, "joined pixels");
  expect_refused(conv_forward_touches(forward_view(p), wide), Status::misfit, "bc must be from 1 to C = 8");
  expect_refused(conv_backward_touches(p, wide), Status::misfit, "bc must be from 1 to C = 8");
  expect_refused(conv_backward_touches(padded, rows), Status::unsupported, "a phase without taps has more rows");
  expect_refused(conv_backward_touches(parse_problem<ConvProblem>("C4 K4 H1 sh2 ph1"), rows), Status::unsupported,
                 "there is nothing to compute");
  for (const auto& [words, status, what] :
       {std::tuple("bk=8 flat src=gathered", Status::unsupported, "with src=gathered"),
        std::tuple("bk=8 joined", Status::unsupported, "joined pixels"),
        std::tuple("bk=9 rows", Status::misfit, "bk must be from 1 to K = 8")}) {
    const auto plan = parse_conv_update_plan(std::string("bc=8 ") + words + " loops=n kb cb oj r s");
    expect_refused(conv_update_touches(p, plan), status, what);
  }
}

}  // namespace
}  // namespace brickwork
