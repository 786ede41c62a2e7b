// What the passes of fully connected layers touch is what convolution's drivers declare.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "primitives/conv/backward/conv_backward_touches.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/forward/conv_forward_touches.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/conv/testing/recorded_conv.hpp"
#include "primitives/conv/update/conv_update_touches.hpp"
#include "primitives/fc/fc_layers.hpp"

namespace brickwork {
namespace {

void expect_forward_as_declared(const FcProblem& p, const ConvPlan& plan) {
  const ConvView view = forward_view(conv_of(p));
  EXPECT_EQ(forward_difference(view, plan, *conv_forward_touches(view, plan)), "")
      << to_string(p) << "  " << to_string(plan);
}
void expect_backward_as_declared(const FcProblem& p, const ConvPlan& plan) {
  EXPECT_EQ(backward_difference(conv_of(p), plan, *conv_backward_touches(conv_of(p), plan)), "")
      << to_string(p) << "  " << to_string(plan);
}
void expect_update_as_declared(const FcProblem& p, const ConvUpdatePlan& plan) {
  EXPECT_EQ(update_difference(conv_of(p), plan, *conv_update_touches(conv_of(p), plan)), "")
      << to_string(p) << "  " << to_string(plan);
}

TEST(RecordedTouchesOfFc, DefaultPlansTouchWhatTheyDeclare) {
  for (const char* text : {"N1 C1 K1", "N1 C70 K33", "N64 C20 K24", "N13 C40 K17", "N130 C9 K5"}) {
    auto p = parse_problem<FcProblem>(text);
    for (const int threads : {1, 3}) {
      const MachineModel machine{.threads = threads, .l2_bytes = 1 << 12};
      p.epilogue = {.bias = true, .residual = true, .activation = Activation::relu};
      expect_forward_as_declared(p, plan_conv_forward(conv_of(p), machine));
      p.epilogue = {.residual = true, .activation = Activation::relu, .derivative = true};
      expect_backward_as_declared(p, plan_conv(backward_phases(conv_of(p)).front().view, machine));
      p.epilogue = {.bias = true};
      expect_update_as_declared(p, plan_conv_update(conv_of(p), machine));
    }
  }
}

TEST(RecordedTouchesOfFc, RandomPlansTouchWhatTheyDeclare) {
  const auto size = [](int most) { return *rc::gen::inRange(1, most); };
  EXPECT_TRUE(rc::check([&] {
    FcProblem p{.N = size(30), .C = size(20), .K = size(20)};
    p.epilogue.bias = *rc::gen::arbitrary<bool>();
    expect_forward_as_declared(p, random_conv_plan(conv_of(p)));
    expect_update_as_declared(p, [&] {
      ConvUpdatePlan plan = random_update_plan(conv_of(p));
      if (plan.gathers) plan.gathers = false;
      return plan;
    }());
    p.epilogue = {.residual = *rc::gen::arbitrary<bool>()};
    expect_backward_as_declared(p, random_conv_plan(backward_phases(conv_of(p)).front().view));
  }));
}

}  // namespace
}  // namespace brickwork
