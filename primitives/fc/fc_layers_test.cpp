// The passes of fully connected layers, run by convolution's drivers.
#include "primitives/fc/fc_layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/fc/op/fc_ops.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/testing/usable.hpp"

namespace brickwork {
namespace {

// Full of NaN, so that elements that a driver does not write are found.
AlignedBuffer<float> unwritten(std::int64_t size) {
  AlignedBuffer<float> buffer(static_cast<std::size_t>(size));
  std::ranges::fill(buffer, std::numeric_limits<float>::quiet_NaN());
  return buffer;
}

AlignedBuffer<float> packed_images(const ActivationLayout& layout, const float* plain) {
  AlignedBuffer<float> buffer = unwritten(plain == nullptr ? 0 : layout.size());
  if (plain != nullptr) pack_nhwc(layout, plain, buffer.data());
  return buffer;
}

PlainTensors unwritten(std::vector<TensorInfo> infos) {
  PlainTensors tensors(std::move(infos));
  poison(tensors);
  return tensors;
}

// Runs a pass of the layer p with a driver for `conv`. conv is conv_of(p) unless a test wants a wrong driver.
template <class Op>
PlainTensors run_layer(const ConvProblem& conv, const FcProblem& p, const MachineModel&, Backend, const PlainTensors&);

template <>
PlainTensors run_layer<FcForwardOp>(const ConvProblem& conv, const FcProblem& p, const MachineModel& machine,
                                    Backend backend, const PlainTensors& in) {
  const ConvForward driver = *ConvForward::make(conv, plan_conv_forward(conv, machine, backend), backend);
  const ActivationLayout dst_layout = driver.dst_layout();
  const auto src = packed_images(driver.src_layout(), in.at<float>("src")),
             residual = packed_images(dst_layout, in.at<float>("residual"));
  auto weights = unwritten(driver.weights_layout().size()), dst = unwritten(dst_layout.size());
  pack_kcrs(driver.weights_layout(), in.at<float>("weights"), weights.data());
  AlignedBuffer<float> bias(static_cast<std::size_t>(dst_layout.Cb() * dst_layout.bc));
  if (const float* plain = in.at<float>("bias")) std::copy_n(plain, p.K, bias.data());
  driver.run(src.data(), weights.data(), bias.data(), residual.data(), dst.data());
  PlainTensors out = unwritten(FcForwardOp::outputs(p));
  unpack_nhwc(dst_layout, dst.data(), out.at<float>("dst"));
  return out;
}

template <>
PlainTensors run_layer<FcBackwardDataOp>(const ConvProblem& conv, const FcProblem& p, const MachineModel& machine,
                                         Backend backend, const PlainTensors& in) {
  ConvBackwardData driver = *ConvBackwardData::make(conv, plan_conv_backward_data(conv, machine, backend), backend);
  const auto ddst = packed_images(driver.ddst_layout(), in.at<float>("ddst")),
             residual = packed_images(driver.dsrc_layout(), in.at<float>("residual")),
             at = packed_images(driver.dsrc_layout(), in.at<float>("at"));
  auto weights = unwritten(driver.weights_size()), dsrc = unwritten(driver.dsrc_layout().size());
  driver.pack_weights(in.at<float>("weights"), weights.data());
  driver.run(ddst.data(), weights.data(), residual.data(), at.data(), dsrc.data());
  PlainTensors out = unwritten(FcBackwardDataOp::outputs(p));
  unpack_nhwc(driver.dsrc_layout(), dsrc.data(), out.at<float>("dsrc"));
  return out;
}

template <>
PlainTensors run_layer<FcWeightUpdateOp>(const ConvProblem& conv, const FcProblem& p, const MachineModel& machine,
                                         Backend backend, const PlainTensors& in) {
  ConvWeightUpdate driver = *ConvWeightUpdate::make(conv, plan_conv_update(conv, machine), backend);
  const auto src = packed_images(driver.src_layout(), in.at<float>("src")),
             ddst = packed_images(driver.ddst_layout(), in.at<float>("ddst"));
  auto dweights = unwritten(driver.dweights_layout().size()), dbias = unwritten(driver.dbias_size());
  driver.run(src.data(), ddst.data(), dweights.data(), dbias.data());
  PlainTensors out = unwritten(FcWeightUpdateOp::outputs(p));
  unpack_kcrs(driver.dweights_layout(), dweights.data(), out.at<float>("dweights"));
  if (float* plain = out.at<float>("dbias")) std::copy_n(dbias.data(), p.K, plain);
  return out;
}

// Why the pass is wrong, or an empty string.
template <class Op>
std::string wrong(const FcProblem& p, const MachineModel& machine, Backend backend, const TestData& t) {
  return compare(run_layer<Op>(conv_of(p), p, machine, backend, t.inputs), t.expected, t.tolerance).reason;
}

template <class Op>
class FcLayers : public testing::Test {};
using FcPasses = testing::Types<FcForwardOp, FcBackwardDataOp, FcWeightUpdateOp>;
TYPED_TEST_SUITE(FcLayers, FcPasses);

std::int64_t fc_size() {
  const auto around = [](std::int64_t size) { return rc::gen::inRange(size - 1, size + 2); };
  return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 12), around(16), around(64), around(128), around(192));
}

TYPED_TEST(FcLayers, DefaultPlansAreExactOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    FcProblem p{.N = fc_size(), .C = fc_size(), .K = fc_size()};
    const EpilogueSteps steps = TypeParam::steps;
    p.epilogue = {.bias = steps.bias && *rc::gen::arbitrary<bool>(),
                  .residual = steps.residual && *rc::gen::arbitrary<bool>()};
    if (steps.activation || steps.derivative) {
      p.epilogue.activation = *rc::gen::element(Activation::none, Activation::relu, Activation::tanh);
      p.epilogue.derivative = steps.derivative && p.epilogue.activation != Activation::none;
    }
    const MachineModel machine{.threads = *rc::gen::inRange(1, 4),
                               .l2_bytes = *rc::gen::element(1 << 12, 1 << 16, 1 << 20)};
    const TestData t = make_test_data<TypeParam>(p, Fill::integers, to_string(p));
    RC_PRE(!has_output_of_zeros(t.expected));
    for (const Backend backend : {Backend::simd, Backend::portable}) {
      EXPECT_EQ(wrong<TypeParam>(p, machine, backend, t), "") << to_string(p) << " " << to_string(backend);
    }
  }));
}

TYPED_TEST(FcLayers, DefaultPlansAreExactFromOneImageToThousands) {
  for (const char* text :
       {"N1 C1 K1", "N1 C1000 K1001", "N1 C257 K64", "N2 C64 K300", "N64 C300 K64", "N4001 C33 K17"}) {
    const auto p = parse_problem<FcProblem>(text);
    const TestData t = make_checkable_test_data<TypeParam>(p, Fill::integers);
    for (const int threads : {1, 2, 3}) {
      for (const Backend backend : {Backend::simd, Backend::libxsmm}) {
        if (!usable(backend)) continue;
        EXPECT_EQ(wrong<TypeParam>(p, {.threads = threads}, backend, t), "") << text;
      }
    }
  }
}

// This file's check must find a wrong driver: one for another layer on the same tensors.
TYPED_TEST(FcLayers, AWrongLayerIsSeen) {
  const auto p = parse_problem<FcProblem>("N5 C6 K7");
  const TestData t = make_checkable_test_data<TypeParam>(p, Fill::integers);
  const auto reason = [&](const char* text) {
    const auto out = run_layer<TypeParam>(conv_of(parse_problem<FcProblem>(text)), p, {}, Backend::simd, t.inputs);
    return compare(out, t.expected, t.tolerance).reason;
  };
  EXPECT_EQ(reason("N5 C6 K7"), "");
  EXPECT_NE(reason("N4 C6 K7"), "");
  EXPECT_NE(reason("N5 C5 K7"), "");
  EXPECT_NE(reason("N5 C6 K6"), "");
}

TEST(ConvOfFc, HasOneImage) {
  const auto p = parse_problem<FcProblem>("N64 C3 K5 bias");
  EXPECT_EQ(to_string(conv_of(p)), "N1_C3_K5_H1_W64_R1_S1_sh1_sw1_ph0_pw0_bias");
  EXPECT_EQ(conv_of(p).flops(), p.flops());
}

}  // namespace
}  // namespace brickwork
