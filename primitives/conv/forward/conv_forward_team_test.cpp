// The device's body of convolution forward, run by teams on the host's spaces with the portable brick.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "primitives/bricks/tile_brick.hpp"
#include "primitives/conv/testing/conv_forward_check.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/nest/league.hpp"
#include "primitives/nest/testing/host_spaces.hpp"

namespace brickwork {
namespace {

// Why the result is wrong, or an empty string.
template <class Space>
std::string wrong(const ConvProblem& p, const ConvPlan& plan, int team_size, bool staged, const TestData& t) {
  const auto blocking = ConvForwardBlocking::make(p, plan);
  if (!blocking) return blocking.reason();
  BlockedConvForward tensors(blocking->src_layout(), blocking->weights_layout(), blocking->dst_layout(), t.inputs);
  const auto data = blocking->data(tensors.src.data(), tensors.weights.data(), tensors.bias.data(),
                                   tensors.residual.data(), tensors.dst.data());
  const ConvForwardBody<TeamBrick<float>> body{blocking->geometry(), data, {blocking->brick_shape(0), staged}};
  blocking->nest().run(Space(), body, {.threads = team_size, .scratch_bytes = body.scratch_bytes()});
  return tensors.wrong(p, t);
}

template <class Space>
class ConvForwardOnTeams : public testing::Test {};

TYPED_TEST_SUITE(ConvForwardOnTeams, HostSpaces);

TYPED_TEST(ConvForwardOnTeams, RandomProblemsAndPlansAreExact) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem other = random_conv_problem();
    const ConvPlan plan = random_conv_plan(other);
    const ConvProblem p = moved_to_block_boundaries(other, plan);
    const TestData t = conv_forward_test_data(p);
    const int most = std::min(TypeParam().concurrency(), 4);
    const int team_size = *rc::gen::inRange(1, most + 1);
    const bool staged = *rc::gen::arbitrary<bool>();
    EXPECT_EQ(wrong<TypeParam>(p, plan, team_size, staged, t), "")
        << to_string(p) << "  " << to_string(plan) << "  " << team_size << " threads, " << (staged ? "" : "not ")
        << "staged";
  }));
}

TYPED_TEST(ConvForwardOnTeams, AWrongConvolutionIsSeen) {
  const ConvProblem p = parse_problem<ConvProblem>("N2 C12 K20 H6 R3 ph1 bias");
  const TestData t = conv_forward_test_data(p);
  const ConvPlan plan = plan_conv_forward(p, {.threads = 2});
  EXPECT_EQ(wrong<TypeParam>(p, plan, 1, false, t), "");
  ConvProblem other = p;
  other.epilogue = {.activation = Activation::relu};
  EXPECT_NE(wrong<TypeParam>(other, plan, 1, false, t), "");
}

}  // namespace
}  // namespace brickwork
