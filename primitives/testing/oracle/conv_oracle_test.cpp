// Compares the drivers of convolution and of fully connected layers with plain loops, on values that other tests seldom
// draw.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/conv/testing/random_conv.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/conv/winograd/conv_winograd.hpp"
#include "primitives/conv/winograd/conv_winograd_update.hpp"
#include "primitives/fc/fc_layers.hpp"
#include "primitives/fc/op/fc_ops.hpp"
#include "primitives/testing/oracle/plain_products.hpp"
#include "primitives/testing/oracle/random_driver.hpp"
#include "primitives/testing/oracle/sown_values.hpp"

namespace brickwork::oracle {
namespace {

// The layout of plain images; those of a fully connected layer are rows of features (nhwc).
enum class Plain { nchw, nhwc };

AlignedBuffer<float> packed(const ActivationLayout& layout, const float* plain, Plain as) {
  AlignedBuffer<float> blocked = unwritten_floats(plain == nullptr ? 0 : layout.size());
  if (plain == nullptr) return blocked;
  as == Plain::nchw ? pack_nchw(layout, plain, blocked.data()) : pack_nhwc(layout, plain, blocked.data());
  return blocked;
}

void unpack(const ActivationLayout& layout, const AlignedBuffer<float>& blocked, float* plain, Plain as) {
  as == Plain::nchw ? unpack_nchw(layout, blocked.data(), plain) : unpack_nhwc(layout, blocked.data(), plain);
}

AlignedBuffer<float> packed(const WeightLayout& layout, const float* plain) {
  AlignedBuffer<float> blocked = unwritten_floats(layout.size());
  pack_kcrs(layout, plain, blocked.data());
  return blocked;
}

AlignedBuffer<float> packed_bias(const ActivationLayout& layout, const float* plain) {
  AlignedBuffer<float> bias(static_cast<std::size_t>(layout.Cb() * layout.bc));
  if (plain != nullptr) std::copy_n(plain, layout.C, bias.data());
  return bias;
}

void run(const ConvForward& conv, const PlainTensors& in, PlainTensors& out, Plain as) {
  const ActivationLayout& to = conv.dst_layout();
  const auto src = packed(conv.src_layout(), in.at<float>("src"), as);
  const auto residual = packed(to, in.at<float>("residual"), as);
  const auto weights = packed(conv.weights_layout(), in.at<float>("weights"));
  const auto bias = packed_bias(to, in.at<float>("bias"));
  AlignedBuffer<float> dst = unwritten_floats(to.size());
  conv.run(src.data(), weights.data(), bias.data(), residual.data(), dst.data());
  unpack(to, dst, out.at<float>("dst"), as);
}

void run(ConvBackwardData& conv, const PlainTensors& in, PlainTensors& out, Plain as) {
  const ActivationLayout to = conv.dsrc_layout();
  const auto ddst = packed(conv.ddst_layout(), in.at<float>("ddst"), as);
  const auto residual = packed(to, in.at<float>("residual"), as), at = packed(to, in.at<float>("at"), as);
  AlignedBuffer<float> weights = unwritten_floats(conv.weights_size()), dsrc = unwritten_floats(to.size());
  conv.pack_weights(in.at<float>("weights"), weights.data());
  conv.run(ddst.data(), weights.data(), residual.data(), at.data(), dsrc.data());
  unpack(to, dsrc, out.at<float>("dsrc"), as);
}

void run(ConvWeightUpdate& conv, const PlainTensors& in, PlainTensors& out, Plain as) {
  const auto src = packed(conv.src_layout(), in.at<float>("src"), as);
  const auto ddst = packed(conv.ddst_layout(), in.at<float>("ddst"), as);
  AlignedBuffer<float> dweights = unwritten_floats(conv.dweights_layout().size());
  AlignedBuffer<float> dbias = unwritten_floats(conv.dbias_size());
  conv.run(src.data(), ddst.data(), dweights.data(), dbias.data());
  unpack_kcrs(conv.dweights_layout(), dweights.data(), out.at<float>("dweights"));
  if (float* const plain = out.at<float>("dbias")) std::copy_n(dbias.data(), conv.ddst_layout().C, plain);
}

template <class Op>
PlainTensors sown_inputs(const typename Op::Problem& p, Sown sown) {
  PlainTensors in(Op::inputs(p));
  SownValues(sown, random_seed()).fill(in);
  return in;
}

// Runs a driver from make() on sown inputs; does nothing if the backend has no brick for it.
template <class Op, class Problem, class Made>
void check(const Problem& p, const std::string& how, Made made, Outcomes (*oracle)(const Problem&, const PlainTensors&),
           Plain as) {
  if (!made && made.status() == Status::unsupported) return;
  RC_ASSERT(bool(made));
  const Sown sown = random_sown();
  const PlainTensors in = sown_inputs<Op>(p, sown);
  PlainTensors out = unwritten(Op::outputs(p));
  auto conv = *std::move(made);
  run(conv, in, out, as);
  require_none(difference(out, oracle(p, in)), to_string(p) + " " + how, sown);
}

TEST(ConvOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_conv_problem();
    const Brick brick = random_brick();
    const ConvPlan plan =
        *rc::gen::arbitrary<bool>() ? plan_conv_forward(p, random_machine(), brick.backend) : random_conv_plan(p);
    if (!takes_overlapping_rows(brick.backend) && plan.taps == Taps::k) return;
    check<ConvForwardOp>(p, to_string(plan) + " " + to_string(brick),
                         ConvForward::make(p, plan, brick.backend, brick.isa), conv_forward, Plain::nchw);
  }));
}

TEST(ConvOracle, RandomBackwardData) {
  EXPECT_TRUE(rc::check([] {
    ConvProblem p = random_training_problem(ConvBackwardDataOp::steps);
    const Brick brick = random_brick();
    ConvBackwardPlan plan;
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        plan = plan_conv_backward_data(p, random_machine(), brick.backend);
        break;
      case 1:
        plan = random_conv_plan(backward_phases(p).front().view);
        break;
      default:
        p.epilogue = {};
        p.C = std::min<std::int64_t>(p.C, 40);
        plan = random_scatter_plan(p);
    }
    const auto* const by_phases = std::get_if<ConvPlan>(&plan);
    if (by_phases && by_phases->taps == Taps::k && !takes_overlapping_rows(brick.backend)) return;
    check<ConvBackwardDataOp>(p, to_string(plan) + " " + to_string(brick),
                              ConvBackwardData::make(p, plan, brick.backend, brick.isa), conv_backward_data,
                              Plain::nchw);
  }));
}

TEST(ConvOracle, RandomWeightUpdate) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_training_problem(ConvWeightUpdateOp::steps);
    const Brick brick = random_brick();
    const ConvUpdatePlan plan =
        *rc::gen::arbitrary<bool>() ? plan_conv_update(p, random_machine()) : random_update_plan(p);
    check<ConvWeightUpdateOp>(p, to_string(plan) + " " + to_string(brick),
                              ConvWeightUpdate::make(p, plan, brick.backend, brick.isa), conv_weight_update,
                              Plain::nchw);
  }));
}

FcProblem random_fc(const EpilogueSteps& steps) {
  const auto size = [] { return random_size({16, 32, 64, 128}); };
  FcProblem p{.N = size(), .C = size(), .K = size()};
  p.epilogue = {.bias = steps.bias && *rc::gen::arbitrary<bool>(),
                .residual = steps.residual && *rc::gen::arbitrary<bool>()};
  if (steps.activation || steps.derivative) {
    p.epilogue.activation = *rc::gen::elementOf(std::vector(std::begin(kActivations), std::end(kActivations)));
    p.epilogue.derivative = steps.derivative && p.epilogue.activation != Activation::none;
  }
  return p;
}

TEST(FcOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    const FcProblem p = random_fc(FcForwardOp::steps);
    const Brick brick = random_brick();
    const ConvPlan plan = plan_conv_forward(conv_of(p), random_machine(), brick.backend);
    check<FcForwardOp>(p, to_string(plan) + " " + to_string(brick),
                       ConvForward::make(conv_of(p), plan, brick.backend, brick.isa), fc_forward, Plain::nhwc);
  }));
}

TEST(FcOracle, RandomBackwardData) {
  EXPECT_TRUE(rc::check([] {
    const FcProblem p = random_fc(FcBackwardDataOp::steps);
    const Brick brick = random_brick();
    const ConvBackwardPlan plan = plan_conv_backward_data(conv_of(p), random_machine(), brick.backend);
    check<FcBackwardDataOp>(p, to_string(plan) + " " + to_string(brick),
                            ConvBackwardData::make(conv_of(p), plan, brick.backend, brick.isa), fc_backward_data,
                            Plain::nhwc);
  }));
}

TEST(FcOracle, RandomWeightUpdate) {
  EXPECT_TRUE(rc::check([] {
    const FcProblem p = random_fc(FcWeightUpdateOp::steps);
    const Brick brick = random_brick();
    const ConvUpdatePlan plan = plan_conv_update(conv_of(p), random_machine());
    check<FcWeightUpdateOp>(p, to_string(plan) + " " + to_string(brick),
                            ConvWeightUpdate::make(conv_of(p), plan, brick.backend, brick.isa), fc_weight_update,
                            Plain::nhwc);
  }));
}

// Winograd's algorithm transforms its inputs: a sown value would reach all pixels of a tile, and a small output has an
// error in proportion to the tile's large ones. Values are therefore from [-1, 1), and the allowed error is a share of
// the largest sum of absolute products of any output.
Outcomes off_as_winograd(Outcomes outcomes, const WinogradPlan& plan, const Outcomes& of_absolute) {
  double largest = 0;
  for (const Interval& x : of_absolute.front().elements) largest = std::max(largest, x.high);
  const double share = plan.tile == 2 ? 0x1p-18 : 0x1p-15;
  for (Interval& x : outcomes.front().elements) x = widened(x, 1.2 * share * largest);  // a curve's slope is below 1.2
  return outcomes;
}

template <class Op>
Outcomes winograd_outcomes(const ConvProblem& p, const WinogradPlan& plan, const PlainTensors& in,
                           Outcomes (*oracle)(const ConvProblem&, const PlainTensors&)) {
  ConvProblem sums = p;
  sums.epilogue = {};
  PlainTensors absolute(Op::inputs(sums));
  for (std::size_t i = 0; i < absolute.infos().size(); ++i) {
    std::ranges::transform(in.values<float>(i).first(absolute.values<float>(i).size()),
                           absolute.values<float>(i).begin(), [](float x) { return std::fabs(x); });
  }
  return off_as_winograd(oracle(p, in), plan, oracle(sums, absolute));
}

WinogradPlan random_winograd_plan(const ConvView& view, const std::vector<const char*>& loops) {
  const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
  const std::int64_t tile = *rc::gen::element<std::int64_t>(2, 4);
  return {.bc = up_to(view.C),
          .bk = up_to(view.K),
          .tile = tile,
          .tiles = up_to(std::min<std::int64_t>(60, winograd_grid(view, tile).all())),
          .loops = parse_loop_schedule(*rc::gen::elementOf(loops))};
}

ConvProblem random_winograd_problem(const EpilogueSteps& steps) {
  ConvProblem p = random_training_problem(steps);
  p.R = p.S = 3, p.stride_h = p.stride_w = 1;
  p.H = std::clamp<std::int64_t>(p.H, 3, 12), p.W = std::clamp<std::int64_t>(p.W, 3, 30);
  p.C = std::min<std::int64_t>(p.C, 40), p.K = std::min<std::int64_t>(p.K, 40);
  return p;
}

const std::vector<const char*> kWinogradLoops = {"{g} kb", "g kb", "g:2 {g} kb", "{g} kb:2 kb", "{kb:2} g kb", "kb g"};

void run_winograd(const ConvProblem& p, const ConvWinograd& winograd, const PlainTensors& in, PlainTensors& out,
                  bool backward) {
  const ActivationLayout& to = winograd.dst_layout();
  const auto src = packed(winograd.src_layout(), in.at<float>(backward ? "ddst" : "src"), Plain::nchw);
  const auto residual = packed(to, in.at<float>("residual"), Plain::nchw);
  const auto at = packed(to, backward ? in.at<float>("at") : nullptr, Plain::nchw);
  const auto bias = packed_bias(to, backward ? nullptr : in.at<float>("bias"));
  AlignedBuffer<float> weights = unwritten_floats(winograd.weights_size()), dst = unwritten_floats(to.size());
  if (backward) {
    winograd.transform_backward(packed(winograd.backward_layout(), in.at<float>("weights")).data(), weights.data());
  } else {
    winograd.transform_forward(packed(winograd.forward_layout(), in.at<float>("weights")).data(), weights.data());
  }
  winograd.run(src.data(), weights.data(), p.epilogue.bias ? bias.data() : nullptr, residual.data(), at.data(),
               dst.data());
  unpack(to, dst, out.at<float>(backward ? "dsrc" : "dst"), Plain::nchw);
}

template <class Op>
void check_winograd(Outcomes (*oracle)(const ConvProblem&, const PlainTensors&)) {
  constexpr bool backward = std::is_same_v<Op, ConvBackwardDataOp>;
  const ConvProblem p = random_winograd_problem(Op::steps);
  const ConvView view = backward ? backward_phases(p).front().view : forward_view(p);
  const Brick brick = random_brick();
  const WinogradPlan plan = random_winograd_plan(view, kWinogradLoops);
  const auto winograd = ConvWinograd::make(view, plan, brick.backend, brick.isa);
  RC_ASSERT(bool(winograd));
  const PlainTensors in = sown_inputs<Op>(p, Sown::nothing);
  PlainTensors out = unwritten(Op::outputs(p));
  run_winograd(p, *winograd, in, out, backward);
  require_none(difference(out, winograd_outcomes<Op>(p, plan, in, oracle)),
               to_string(p) + " " + to_string(plan) + " " + to_string(brick), Sown::nothing);
}

TEST(WinogradOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] { check_winograd<ConvForwardOp>(conv_forward); }));
}

TEST(WinogradOracle, RandomBackwardData) {
  EXPECT_TRUE(rc::check([] { check_winograd<ConvBackwardDataOp>(conv_backward_data); }));
}

TEST(WinogradOracle, RandomWeightUpdate) {
  EXPECT_TRUE(rc::check([] {
    const ConvProblem p = random_winograd_problem({});
    const Brick brick = random_brick();
    const WinogradPlan plan =
        random_winograd_plan(forward_view(p), {"{g} kb", "g kb", "{g:2} g kb", "{kb:2} g kb", "{kb} g", "kb g"});
    auto made = ConvWinogradUpdate::make(p, plan, brick.backend, brick.isa);
    RC_ASSERT(bool(made));
    ConvWinogradUpdate update = *std::move(made);
    const PlainTensors in = sown_inputs<ConvWeightUpdateOp>(p, Sown::nothing);
    PlainTensors out = unwritten(ConvWeightUpdateOp::outputs(p));
    const auto src = packed(update.src_layout(), in.at<float>("src"), Plain::nchw);
    const auto ddst = packed(update.ddst_layout(), in.at<float>("ddst"), Plain::nchw);
    AlignedBuffer<float> dweights = unwritten_floats(update.dweights_layout().size());
    update.run(src.data(), ddst.data(), dweights.data());
    unpack_kcrs(update.dweights_layout(), dweights.data(), out.at<float>("dweights"));
    require_none(difference(out, winograd_outcomes<ConvWeightUpdateOp>(p, plan, in, conv_weight_update)),
                 to_string(p) + " " + to_string(plan) + " " + to_string(brick), Sown::nothing);
  }));
}

}  // namespace
}  // namespace brickwork::oracle
