// The C API beside the definitions, and every call that it must refuse.
#include <brickwork/brickwork.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/fc/op/fc_ops.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

std::string last_error() { return brickwork_last_error(); }

// The sentence of a call that must have failed by the caller's fault.
std::string refused(brickwork_status status) {
  EXPECT_EQ(status, BRICKWORK_BAD_ARGUMENT);
  return status == BRICKWORK_OK ? "" : last_error();
}

#define OK(call) ASSERT_EQ(call, BRICKWORK_OK) << brickwork_last_error()

brickwork_conv_sizes sizes_of(const ConvProblem& p, brickwork_layout layout) {
  return {.N = p.N,
          .C = p.C,
          .K = p.K,
          .H = p.H,
          .W = p.W,
          .R = p.R,
          .S = p.S,
          .stride_h = p.stride_h,
          .stride_w = p.stride_w,
          .pad_h = p.pad_h,
          .pad_w = p.pad_w,
          .bias = p.epilogue.bias,
          .training = 1,
          .activation = static_cast<int>(p.epilogue.activation),
          .layout = layout};
}

// NCHW as the other layout has it.
std::vector<float> to_nhwc(const float* nchw, std::int64_t N, std::int64_t C, std::int64_t pixels) {
  std::vector<float> out(static_cast<std::size_t>(N * C * pixels));
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t c = 0; c < C; ++c)
      for (std::int64_t x = 0; x < pixels; ++x)
        out[static_cast<std::size_t>((n * pixels + x) * C + c)] = nchw[(n * C + c) * pixels + x];
  return out;
}
std::vector<float> to_nchw(const float* nhwc, std::int64_t N, std::int64_t C, std::int64_t pixels) {
  return to_nhwc(nhwc, N, pixels, C);
}

// One pass' activations of a layer, in any of the API's layouts.
struct Tensor {
  brickwork_layer layer;
  brickwork_layout layout;
  brickwork_tensor name;
  std::int64_t N, C, pixels;

  std::vector<float> from(const float* nchw) const {
    if (layout == BRICKWORK_NHWC) return to_nhwc(nchw, N, C, pixels);
    if (layout == BRICKWORK_NCHW) return {nchw, nchw + N * C * pixels};
    auto packed = empty();
    EXPECT_EQ(brickwork_layer_pack(layer, name, BRICKWORK_NCHW, nchw, packed.data()), BRICKWORK_OK) << last_error();
    return packed;
  }
  std::vector<float> empty() const {
    std::int64_t size = N * C * pixels;
    if (layout == BRICKWORK_PACKED) {
      EXPECT_EQ(brickwork_layer_packed_size(layer, name, &size), BRICKWORK_OK) << last_error();
    }
    return std::vector<float>(static_cast<std::size_t>(size));
  }
  void to(const std::vector<float>& mine, float* nchw) const {
    if (layout == BRICKWORK_PACKED) {
      EXPECT_EQ(brickwork_layer_unpack(layer, name, BRICKWORK_NCHW, mine.data(), nchw), BRICKWORK_OK) << last_error();
      return;
    }
    const auto plain = layout == BRICKWORK_NHWC ? to_nchw(mine.data(), N, C, pixels) : mine;
    std::ranges::copy(plain, nchw);
  }
};

template <class Op>
std::string verdict(const PlainTensors& out, const TestData& data) {
  return compare(out, data.expected, data.tolerance).reason;
}

// What is wrong with the passes of a convolution, or nothing.
std::string wrong_convolution(const ConvProblem& p, brickwork_layout layout) {
  const auto sizes = sizes_of(p, layout);
  brickwork_layer layer = nullptr;
  if (brickwork_conv_create(&sizes, &layer) != BRICKWORK_OK) return last_error();
  const auto tensor = [&](brickwork_tensor name, bool of_dst) {
    return Tensor{layer, layout, name, p.N, of_dst ? p.K : p.C, of_dst ? p.P() * p.Q() : p.H * p.W};
  };

  const TestData forward = make_checkable_test_data<ConvForwardOp>(p, Fill::floats);
  PlainTensors dst(ConvForwardOp::outputs(p));
  poison(dst);
  bool ok = brickwork_layer_set_weights(layer, forward.inputs.at<float>("weights"), forward.inputs.at<float>("bias")) ==
            BRICKWORK_OK;
  const Tensor src_of = tensor(BRICKWORK_FORWARD_SRC, false), dst_of = tensor(BRICKWORK_FORWARD_DST, true);
  auto mine = dst_of.empty();
  ok = ok &&
       brickwork_layer_forward(layer, src_of.from(forward.inputs.at<float>("src")).data(), mine.data()) == BRICKWORK_OK;
  if (!ok) return last_error();
  dst_of.to(mine, dst.at<float>("dst"));
  std::string wrong = verdict<ConvForwardOp>(dst, forward);

  ConvProblem back = p;
  back.epilogue = {};
  const TestData data = make_checkable_test_data<ConvBackwardDataOp>(back, Fill::floats);
  PlainTensors dsrc(ConvBackwardDataOp::outputs(back));
  poison(dsrc);
  const std::vector<float> no_bias(static_cast<std::size_t>(p.K));
  ok = brickwork_layer_set_weights(layer, data.inputs.at<float>("weights"), no_bias.data()) == BRICKWORK_OK;
  const Tensor ddst_of = tensor(BRICKWORK_BACKWARD_DATA_DDST, true),
               dsrc_of = tensor(BRICKWORK_BACKWARD_DATA_DSRC, false);
  mine = dsrc_of.empty();
  ok = ok && brickwork_layer_backward_data(layer, ddst_of.from(data.inputs.at<float>("ddst")).data(), mine.data()) ==
                 BRICKWORK_OK;
  if (!ok) return last_error();
  dsrc_of.to(mine, dsrc.at<float>("dsrc"));
  wrong += verdict<ConvBackwardDataOp>(dsrc, data);

  back.epilogue.bias = p.epilogue.bias;
  const TestData update = make_checkable_test_data<ConvWeightUpdateOp>(back, Fill::floats);
  PlainTensors gradients(ConvWeightUpdateOp::outputs(back));
  poison(gradients);
  ok = brickwork_layer_backward_weights(
           layer, tensor(BRICKWORK_BACKWARD_WEIGHTS_SRC, false).from(update.inputs.at<float>("src")).data(),
           tensor(BRICKWORK_BACKWARD_WEIGHTS_DDST, true).from(update.inputs.at<float>("ddst")).data(),
           gradients.at<float>("dweights"), gradients.at<float>("dbias")) == BRICKWORK_OK;
  if (!ok) return last_error();
  wrong += verdict<ConvWeightUpdateOp>(gradients, update);
  EXPECT_EQ(brickwork_layer_destroy(layer), BRICKWORK_OK);
  return wrong;
}

RC_GTEST_PROP(BrickworkLayer, ConvolutionsAreRightInEveryLayout, ()) {
  ConvProblem p{.N = *rc::gen::inRange(1, 4), .C = *rc::gen::inRange(1, 40), .K = *rc::gen::inRange(1, 40)};
  p.R = *rc::gen::inRange(1, 4);
  p.S = *rc::gen::inRange(1, 4);
  p.stride_h = *rc::gen::inRange(1, 3);
  p.stride_w = *rc::gen::inRange(1, 3);
  p.pad_h = *rc::gen::inRange<std::int64_t>(0, p.R);
  p.pad_w = *rc::gen::inRange<std::int64_t>(0, p.S);
  p.H = *rc::gen::inRange<std::int64_t>(p.R, 12);
  p.W = *rc::gen::inRange<std::int64_t>(p.S, 12);
  p.epilogue = {.bias = *rc::gen::arbitrary<bool>(),
                .activation = *rc::gen::elementOf(std::vector(std::begin(kActivations), std::end(kActivations)))};
  const auto layout = *rc::gen::element(BRICKWORK_NCHW, BRICKWORK_NHWC, BRICKWORK_PACKED);
  RC_LOG() << to_string(p) << " in layout " << layout;
  RC_ASSERT(wrong_convolution(p, layout) == "");
}

TEST(BrickworkLayer, AFullyConnectedLayerIsRight) {
  const auto p = parse_problem<FcProblem>("N5 C37 K19 bias+relu");
  const TestData data = make_checkable_test_data<FcForwardOp>(p, Fill::floats);
  const brickwork_linear_sizes sizes{
      .N = p.N, .C = p.C, .K = p.K, .bias = 1, .activation = BRICKWORK_RELU, .layout = BRICKWORK_NHWC};
  brickwork_layer layer;
  OK(brickwork_linear_create(&sizes, &layer));
  OK(brickwork_layer_set_weights(layer, data.inputs.at<float>("weights"), data.inputs.at<float>("bias")));
  PlainTensors out(FcForwardOp::outputs(p));
  OK(brickwork_layer_forward(layer, data.inputs.at<float>("src"), out.at<float>("dst")));
  EXPECT_EQ(verdict<FcForwardOp>(out, data), "");
  EXPECT_THAT(refused(brickwork_layer_backward_data(layer, out.at<float>("dst"), out.at<float>("dst"))),
              HasSubstr("training = 1"));
  OK(brickwork_layer_destroy(layer));
}

// The checker sees another convolution.
TEST(BrickworkLayer, AWrongConvolutionIsSeen) {
  const auto p = parse_problem<ConvProblem>("N2 C3 K4 H5 R3 ph1");
  const TestData data = make_checkable_test_data<ConvForwardOp>(p, Fill::floats);
  PlainTensors out(ConvForwardOp::outputs(p));
  std::ranges::fill(out.values<float>("dst"), 0.5F);
  EXPECT_NE(verdict<ConvForwardOp>(out, data), "");
}

template <class Op>
TestData rnn_data(const RnnProblem& p) {
  return make_checkable_test_data<Op>(p, Fill::floats);
}

void set_weights(brickwork_lstm lstm, const RnnProblem& p, const PlainTensors& in) {
  for (std::int64_t l = 0; l < p.L; ++l) {
    OK(brickwork_lstm_set_weights(lstm, l, in.at<float>(fmt::format("weights_layer.{}", l)),
                                  in.at<float>(fmt::format("weights_iter.{}", l)),
                                  in.at<float>(fmt::format("bias.{}", l))));
  }
}

TEST(BrickworkLstm, IsRightForwardAndBackward) {
  for (const char* text : {"T3 N4 C9 K17 L2 lstm bidirectional", "T1 N1 C1 K1 lstm", "T5 N2 C33 K64 L3 lstm"}) {
    const auto p = parse_problem<RnnProblem>(text);
    const brickwork_lstm_sizes sizes{
        .T = p.T, .N = p.N, .C = p.C, .K = p.K, .L = p.L, .bidirectional = p.D() == 2, .training = 1};
    brickwork_lstm lstm;
    OK(brickwork_lstm_create(&sizes, &lstm));
    const TestData data = rnn_data<RnnBackwardOp>(p), forward = rnn_data<RnnForwardOp>(p);
    PlainTensors states(RnnForwardOp::outputs(p)), gradients(RnnBackwardOp::outputs(p));
    poison(states);
    poison(gradients);
    const auto run = [&](const PlainTensors& in) {
      set_weights(lstm, p, in);
      OK(brickwork_lstm_forward(lstm, in.at<float>("x"), in.at<float>("h0"), in.at<float>("c0"), states.at<float>("y"),
                                states.at<float>("hT"), states.at<float>("cT")));
    };
    run(forward.inputs);
    EXPECT_EQ(verdict<RnnForwardOp>(states, forward), "") << text;
    run(data.inputs);
    OK(brickwork_lstm_backward(lstm, data.inputs.at<float>("dy"), data.inputs.at<float>("dhT"),
                               data.inputs.at<float>("dcT"), gradients.at<float>("dx"), gradients.at<float>("dh0"),
                               gradients.at<float>("dc0")));
    for (std::int64_t l = 0; l < p.L; ++l) {
      const auto gradient = [&](const char* name) {
        return gradients.at<float>(fmt::format("{}.{}.gradient", name, l));
      };
      OK(brickwork_lstm_weight_gradients(lstm, l, gradient("weights_layer"), gradient("weights_iter"),
                                         gradient("bias")));
    }
    EXPECT_EQ(verdict<RnnBackwardOp>(gradients, data), "") << text;
    OK(brickwork_lstm_destroy(lstm));
  }
}

TEST(BrickworkLstm, CallsOutOfOrderAreRefused) {
  brickwork_lstm_sizes sizes{.T = 1, .N = 1, .C = 2, .K = 3, .L = 2, .training = 0};
  brickwork_lstm inference, training;
  OK(brickwork_lstm_create(&sizes, &inference));
  sizes.training = 1;
  OK(brickwork_lstm_create(&sizes, &training));
  std::vector<float> f(64);
  float* const v = f.data();
  EXPECT_THAT(refused(brickwork_lstm_forward(training, v, v, v, v, v, v)), HasSubstr("layer 0 has no weights"));
  EXPECT_THAT(refused(brickwork_lstm_set_weights(training, 2, v, v, v)), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(refused(brickwork_lstm_backward(training, v, v, v, v, v, v)), HasSubstr("no forward"));
  EXPECT_THAT(refused(brickwork_lstm_backward(inference, v, v, v, v, v, v)), HasSubstr("training = 1"));
  EXPECT_THAT(refused(brickwork_lstm_weight_gradients(training, 0, v, v, v)), HasSubstr("no gradients"));
  EXPECT_THAT(refused(brickwork_lstm_forward(training, v, nullptr, v, v, v, v)), HasSubstr("'h0' is null"));
  OK(brickwork_lstm_destroy(inference));
  OK(brickwork_lstm_destroy(training));
  EXPECT_THAT(refused(brickwork_lstm_destroy(training)), HasSubstr("destroyed"));
}

brickwork_brgemm_shape small_shape() {
  return {.m = 3, .n = 5, .k = 2, .lda = 2, .ldb = 5, .ldc = 5, .stride_a = 6, .stride_b = 10};
}

RC_GTEST_PROP(BrickworkBrgemm, IsExactWithStridesAndPointers, ()) {
  const int m = *rc::gen::inRange(1, 20), n = *rc::gen::inRange(1, 70), k = *rc::gen::inRange(1, 20);
  const int batch = *rc::gen::inRange(0, 5);
  const int beta = *rc::gen::inRange(0, 2), has_bias = *rc::gen::inRange(0, 2);
  const auto small = [](int i, int j) { return static_cast<float>((i * 7 + j * 3) % 5 - 2); };
  std::vector<float> a(static_cast<std::size_t>(std::max(batch, 1) * m * k)),
      b(static_cast<std::size_t>(std::max(batch, 1) * k * n)), bias(static_cast<std::size_t>(n)),
      c(static_cast<std::size_t>(m * n)), right, by_pointers;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = small(static_cast<int>(i), 1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = small(static_cast<int>(i), 2);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = small(static_cast<int>(i), 3);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = small(static_cast<int>(i), 4);
  const auto at = [](std::vector<float>& v, int i) -> float& { return v[static_cast<std::size_t>(i)]; };
  right = by_pointers = c;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = (beta ? at(c, i * n + j) : 0) + (has_bias ? at(bias, j) : 0);
      for (int t = 0; t < batch; ++t)
        for (int l = 0; l < k; ++l) sum += at(a, (t * m + i) * k + l) * at(b, (t * k + l) * n + j);
      at(right, i * n + j) = std::max(sum, 0.0F);
    }
  const brickwork_brgemm_shape shape{.m = m,
                                     .n = n,
                                     .k = k,
                                     .lda = k,
                                     .ldb = n,
                                     .ldc = n,
                                     .stride_a = m * k,
                                     .stride_b = k * n,
                                     .beta = beta,
                                     .bias = has_bias,
                                     .activation = BRICKWORK_RELU};
  brickwork_brgemm brgemm;
  RC_ASSERT(brickwork_brgemm_create(&shape, &brgemm) == BRICKWORK_OK);
  RC_ASSERT(brickwork_brgemm_run(brgemm, a.data(), b.data(), batch, bias.data(), c.data()) == BRICKWORK_OK);
  RC_ASSERT(c == right);
  std::vector<const float*> as, bs;
  for (int t = 0; t < batch; ++t) {
    as.push_back(a.data() + t * m * k);
    bs.push_back(b.data() + t * k * n);
  }
  RC_ASSERT(brickwork_brgemm_run_pointers(brgemm, as.data(), bs.data(), batch, bias.data(), by_pointers.data()) ==
            BRICKWORK_OK);
  RC_ASSERT(by_pointers == right);
  RC_ASSERT(brickwork_brgemm_destroy(brgemm) == BRICKWORK_OK);
}

TEST(BrickworkBrgemm, BadShapesAreRefused) {
  const auto why = [](auto change) {
    brickwork_brgemm_shape shape = small_shape();
    change(shape);
    brickwork_brgemm brgemm = nullptr;
    const std::string sentence = refused(brickwork_brgemm_create(&shape, &brgemm));
    EXPECT_EQ(brgemm, nullptr);
    return sentence;
  };
  EXPECT_THAT(why([](auto& s) { s.m = 0; }), HasSubstr("at least 1"));
  EXPECT_THAT(why([](auto& s) { s.ldb = 4; }), HasSubstr("ldb must be at least n"));
  EXPECT_THAT(why([](auto& s) { s.ldc = -1; }), HasSubstr("ldc must be at least n"));
  EXPECT_THAT(why([](auto& s) { s.beta = 2; }), HasSubstr("'beta' is 2"));
  EXPECT_THAT(why([](auto& s) { s.bias = 7; }), HasSubstr("'bias' is 7"));
  EXPECT_THAT(why([](auto& s) { s.activation = 9; }), HasSubstr("activation 9"));
  brickwork_brgemm brgemm;
  EXPECT_THAT(refused(brickwork_brgemm_create(nullptr, &brgemm)), HasSubstr("'shape' is null"));
  const auto shape = small_shape();
  EXPECT_THAT(refused(brickwork_brgemm_create(&shape, nullptr)), HasSubstr("'brgemm' is null"));
}

TEST(BrickworkBrgemm, BadCallsAreRefused) {
  const auto shape = small_shape();
  brickwork_brgemm brgemm;
  OK(brickwork_brgemm_create(&shape, &brgemm));
  std::vector<float> v(64);
  EXPECT_THAT(refused(brickwork_brgemm_run(brgemm, nullptr, v.data(), 1, nullptr, v.data())), HasSubstr("'a' is null"));
  EXPECT_THAT(refused(brickwork_brgemm_run(brgemm, v.data(), v.data(), -1, nullptr, v.data())),
              HasSubstr("batch is -1"));
  const float* null_member[] = {nullptr};
  EXPECT_THAT(refused(brickwork_brgemm_run_pointers(brgemm, null_member, null_member, 1, nullptr, v.data())),
              HasSubstr("'a[i]' is null"));
  OK(brickwork_brgemm_destroy(brgemm));
  EXPECT_THAT(refused(brickwork_brgemm_run(brgemm, v.data(), v.data(), 1, nullptr, v.data())),
              HasSubstr("no brgemm's handle"));
  EXPECT_THAT(refused(brickwork_brgemm_destroy(nullptr)), HasSubstr("never made"));
}

TEST(BrickworkLayer, BadSizesAreRefused) {
  const auto why = [](auto change) {
    brickwork_conv_sizes sizes{.N = 1, .C = 2, .K = 3, .H = 4, .W = 4, .R = 1, .S = 1, .stride_h = 1, .stride_w = 1};
    change(sizes);
    brickwork_layer layer = nullptr;
    const std::string sentence = refused(brickwork_conv_create(&sizes, &layer));
    EXPECT_EQ(layer, nullptr);
    return sentence;
  };
  EXPECT_NE(why([](auto& s) { s.stride_w = 0; }), "");
  EXPECT_NE(why([](auto& s) { s.stride_h = -1; }), "");
  EXPECT_NE(why([](auto& s) { s.C = 0; }), "");
  EXPECT_NE(why([](auto& s) { s.R = 9; }), "");
  EXPECT_NE(why([](auto& s) { s.pad_w = -1; }), "");
  EXPECT_NE(why([](auto& s) { s.N = std::int64_t{1} << 60; }), "");
  EXPECT_THAT(why([](auto& s) { s.layout = 3; }), HasSubstr("layout 3"));
  EXPECT_THAT(why([](auto& s) { s.training = -1; }), HasSubstr("'training' is -1"));
}

TEST(BrickworkLayer, BadCallsAreRefused) {
  const brickwork_conv_sizes sizes{
      .N = 1, .C = 2, .K = 3, .H = 4, .W = 4, .R = 1, .S = 1, .stride_h = 1, .stride_w = 1, .bias = 1};
  brickwork_layer layer;
  OK(brickwork_conv_create(&sizes, &layer));
  std::vector<float> v(64);
  std::int64_t size = 0;
  EXPECT_THAT(refused(brickwork_layer_forward(layer, v.data(), v.data())), HasSubstr("no weights yet"));
  EXPECT_THAT(refused(brickwork_layer_set_weights(layer, v.data(), nullptr)), HasSubstr("'bias' is null"));
  EXPECT_THAT(refused(brickwork_layer_packed_size(layer, 6, &size)), HasSubstr("training = 1"));
  EXPECT_THAT(refused(brickwork_layer_pack(layer, BRICKWORK_FORWARD_SRC, BRICKWORK_PACKED, v.data(), v.data())),
              HasSubstr("layout 2"));
  EXPECT_THAT(refused(brickwork_layer_backward_weights(layer, v.data(), v.data(), v.data(), v.data())),
              HasSubstr("training = 1"));
  OK(brickwork_layer_destroy(layer));
  EXPECT_THAT(refused(brickwork_layer_forward(layer, v.data(), v.data())), HasSubstr("destroyed"));
}

// A number of one kind of handle is none of another's.
TEST(BrickworkLayer, AHandleOfAnotherKindIsRefused) {
  const auto shape = small_shape();
  brickwork_brgemm brgemm;
  OK(brickwork_brgemm_create(&shape, &brgemm));
  EXPECT_THAT(refused(brickwork_layer_destroy(reinterpret_cast<brickwork_layer>(brgemm))), HasSubstr("another kind"));
  OK(brickwork_brgemm_destroy(brgemm));
}

TEST(BrickworkThreads, AreFixedWithTheFirstLayer) {
  EXPECT_THAT(refused(brickwork_set_threads(0)), HasSubstr("expected 1 or more"));
  const brickwork_conv_sizes sizes{
      .N = 1, .C = 2, .K = 3, .H = 4, .W = 4, .R = 1, .S = 1, .stride_h = 1, .stride_w = 1};
  brickwork_layer layer;
  OK(brickwork_conv_create(&sizes, &layer));
  OK(brickwork_set_threads(brickwork_threads()));
  EXPECT_THAT(refused(brickwork_set_threads(brickwork_threads() + 1)), HasSubstr("before the first one"));
  OK(brickwork_layer_destroy(layer));
}

TEST(BrickworkErrors, AreEachThreadsOwn) {
  refused(brickwork_set_threads(0));
  std::string elsewhere = "?";
  std::thread([&] { elsewhere = last_error(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_THAT(last_error(), HasSubstr("0 threads"));
}

TEST(BrickworkTuning, ATextThatIsNoTuningIsRefused) {
  EXPECT_THAT(refused(brickwork_tune("sideways")), HasSubstr("sideways"));
  EXPECT_THAT(refused(brickwork_tune(nullptr)), HasSubstr("'text' is null"));
  OK(brickwork_tune("default"));
}

}  // namespace
}  // namespace brickwork
