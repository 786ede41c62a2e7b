// Compares batch normalisation, pooling and elementwise operations with plain loops.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "primitives/add/add.hpp"
#include "primitives/add/op/add_ops.hpp"
#include "primitives/batch_norm/batch_norm.hpp"
#include "primitives/batch_norm/op/batch_norm_ops.hpp"
#include "primitives/pool/op/pool_ops.hpp"
#include "primitives/pool/pool.hpp"
#include "primitives/sgd/sgd.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"
#include "primitives/testing/oracle/plain_elementwise.hpp"
#include "primitives/testing/oracle/plain_norm.hpp"
#include "primitives/testing/oracle/plain_pool.hpp"
#include "primitives/testing/oracle/random_driver.hpp"
#include "primitives/testing/spoilt_images.hpp"

namespace brickwork::oracle {
namespace {

// fill(inputs, values) changes inputs that are filled already; run(inputs, outputs) is the driver; oracle(problem,
// inputs) gives the outcomes.
template <class Op, class Oracle, class Fill, class Run>
void check_layer(const typename Op::Problem& p, const std::string& how, const Oracle& oracle, const Fill& fill,
                 const Run& run) {
  const Sown sown = random_sown();
  SownValues values(sown, random_seed());
  PlainTensors in(Op::inputs(p)), out = unwritten(Op::outputs(p));
  values.fill(in);
  fill(in, values);
  run(in, out);
  require_none(difference(out, oracle(p, in)), to_string(p) + " " + how, sown);
}

void as_it_is(PlainTensors&, SownValues&) {}

// Blocked inputs, with or without columns of zeros beside them, and blocked outputs.
class BlockedLayer {
 public:
  BlockedLayer(std::int64_t N, std::int64_t C, std::int64_t bc) : N_(N), C_(C), bc_(bc) {}

  BlockedImages images(const float* plain, std::int64_t H, std::int64_t W) const {
    return plain == nullptr ? BlockedImages() : BlockedImages(layout(H, W), plain);
  }
  SpoiltImages spoilt(std::int64_t H, std::int64_t W) const { return SpoiltImages(layout(H, W)); }

 private:
  ActivationLayout layout(std::int64_t H, std::int64_t W) const { return {N_, C_, H, W, up_to(3) - 1, bc_}; }

  std::int64_t N_, C_, bc_;
};

void unpack(SpoiltImages& images, float* plain) {
  if (plain == nullptr) return;
  RC_ASSERT(images.fault() == "");
  images.unpack(plain);
}

struct NormCase {
  BatchNormProblem p;
  BatchNormPlan plan;
};

NormCase random_norm() {
  NormCase norm{.p = {.N = up_to(4), .C = random_size({8, 16, 32}), .H = up_to(6), .W = up_to(10)}};
  norm.p.epilogue = *rc::gen::element(NormEpilogue::none, NormEpilogue::relu, NormEpilogue::residual_relu);
  norm.plan = {
      .bc = up_to(norm.p.C), .blocks = up_to(4), .by_thread = *rc::gen::arbitrary<bool>(), .sweep = random_sweep()};
  return norm;
}

struct LeftByForward {
  explicit LeftByForward(const BatchNorm& norm, std::int64_t channels)
      : mask(static_cast<std::size_t>(norm.mask_bytes())),
        mean(static_cast<std::size_t>(channels), std::nan("")),
        variance(mean) {}

  AlignedBuffer<std::uint8_t> mask;
  std::vector<double> mean, variance;
};

void run_norm(BatchNorm& norm, const BatchNormProblem& p, const PlainTensors& in, PlainTensors& out,
              LeftByForward& left) {
  const BlockedLayer layer(p.N, p.C, norm.plan().bc);
  const auto src = layer.images(in.at<float>("src"), p.H, p.W),
             residual = layer.images(in.at<float>("residual"), p.H, p.W);
  SpoiltImages dst = layer.spoilt(p.H, p.W);
  norm.forward(src.input(), in.at<float>("gamma"), in.at<float>("beta"), residual.input(), dst.output(),
               left.mean.data(), left.variance.data(), left.mask.data());
  unpack(dst, out.at<float>("dst"));
  std::ranges::transform(left.mean, out.at<float>("mean"), [](double x) { return static_cast<float>(x); });
  std::ranges::transform(left.variance, out.at<float>("variance"), [](double x) { return static_cast<float>(x); });
}

TEST(NormOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    const auto [p, plan] = random_norm();
    check_layer<BatchNormForwardOp>(p, to_string(plan), norm_forward, as_it_is,
                                    [&p = p, &plan = plan](const PlainTensors& in, PlainTensors& out) {
                                      BatchNorm norm(p, plan);
                                      LeftByForward left(norm, p.C);
                                      run_norm(norm, p, in, out, left);
                                    });
  }));
}

TEST(NormOracle, RandomInference) {
  EXPECT_TRUE(rc::check([] {
    const auto [p, plan] = random_norm();
    const auto positive = [C = p.C](PlainTensors& in, SownValues&) {
      float* const variance = in.at<float>("variance");
      std::transform(variance, variance + C, variance, [](float x) { return std::fabs(x); });
    };
    check_layer<BatchNormInferenceOp>(
        p, to_string(plan), norm_inference, positive,
        [&p = p, &plan = plan](const PlainTensors& in, PlainTensors& out) {
          const BlockedLayer layer(p.N, p.C, plan.bc);
          const auto src = layer.images(in.at<float>("src"), p.H, p.W),
                     residual = layer.images(in.at<float>("residual"), p.H, p.W);
          SpoiltImages dst = layer.spoilt(p.H, p.W);
          const std::vector<double> mean(in.at<float>("mean"), in.at<float>("mean") + p.C),
              variance(in.at<float>("variance"), in.at<float>("variance") + p.C);
          BatchNorm(p, plan).infer(src.input(), in.at<float>("gamma"), in.at<float>("beta"), mean.data(),
                                   variance.data(), residual.input(), dst.output());
          unpack(dst, out.at<float>("dst"));
        });
  }));
}

TEST(NormOracle, RandomBackward) {
  EXPECT_TRUE(rc::check([] {
    const auto [p, plan] = random_norm();
    check_layer<BatchNormBackwardOp>(
        p, to_string(plan), norm_backward, as_it_is, [&p = p, &plan = plan](const PlainTensors& in, PlainTensors& out) {
          BatchNorm norm(p, plan);
          LeftByForward left(norm, p.C);
          PlainTensors forward = unwritten(BatchNormForwardOp::outputs(p));
          run_norm(norm, p, in, forward, left);
          const BlockedLayer layer(p.N, p.C, plan.bc);
          const auto src = layer.images(in.at<float>("src"), p.H, p.W),
                     ddst = layer.images(in.at<float>("ddst"), p.H, p.W);
          SpoiltImages dsrc = layer.spoilt(p.H, p.W), dresidual = layer.spoilt(p.H, p.W);
          norm.backward(src.input(), ddst.input(), left.mask.data(), in.at<float>("gamma"), left.mean.data(),
                        left.variance.data(), dsrc.output(), out.at<float>("dgamma"), out.at<float>("dbeta"),
                        dresidual.output());
          unpack(dsrc, out.at<float>("dsrc"));
          unpack(dresidual, out.at<float>("dresidual"));
        });
  }));
}

PoolProblem random_pool() {
  PoolProblem p{.N = up_to(3), .C = random_size({8, 16, 32}), .R = up_to(5), .S = up_to(5), .stride_h = up_to(4)};
  p.stride_w = up_to(4), p.pad_h = up_to(p.R) - 1, p.pad_w = up_to(p.S) - 1;
  p.H = std::max<std::int64_t>(1, p.R - 2 * p.pad_h) + up_to(8) - 1;
  p.W = std::max<std::int64_t>(1, p.S - 2 * p.pad_w) + up_to(8) - 1;
  p.kind = *rc::gen::element(PoolKind::max, PoolKind::average, PoolKind::average_padded);
  p.validate();
  return p;
}

TEST(PoolOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    const PoolProblem p = random_pool();
    const PoolPlan plan{.bc = up_to(p.C), .sweep = random_sweep()};
    check_layer<PoolForwardOp>(p, to_string(plan), pool_forward, as_it_is,
                               [&](const PlainTensors& in, PlainTensors& out) {
                                 const BlockedLayer layer(p.N, p.C, plan.bc);
                                 const auto src = layer.images(in.at<float>("src"), p.H, p.W);
                                 SpoiltImages dst = layer.spoilt(p.P(), p.Q());
                                 Pool(p, plan).forward(src.input(), dst.output(), nullptr);
                                 unpack(dst, out.at<float>("dst"));
                               });
  }));
}

TEST(PoolOracle, RandomBackward) {
  EXPECT_TRUE(rc::check([] {
    const PoolProblem p = random_pool();
    const PoolPlan plan{.bc = up_to(p.C), .sweep = random_sweep()};
    check_layer<PoolBackwardOp>(p, to_string(plan), pool_backward, as_it_is,
                                [&](const PlainTensors& in, PlainTensors& out) {
                                  const Pool pool(p, plan);
                                  const BlockedLayer layer(p.N, p.C, plan.bc);
                                  AlignedBuffer<std::byte> indices = pool.make_indices();
                                  if (p.kind == PoolKind::max) {
                                    const auto src = layer.images(in.at<float>("src"), p.H, p.W);
                                    SpoiltImages dst = layer.spoilt(p.P(), p.Q());
                                    pool.forward(src.input(), dst.output(), indices.data());
                                  }
                                  const auto ddst = layer.images(in.at<float>("ddst"), p.P(), p.Q());
                                  SpoiltImages dsrc = layer.spoilt(p.H, p.W);
                                  pool.backward(ddst.input(), indices.data(), dsrc.output());
                                  unpack(dsrc, out.at<float>("dsrc"));
                                });
  }));
}

TEST(AddOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    AddProblem p{.N = up_to(4), .E = random_size({16, 64, 1000}), .relu = *rc::gen::arbitrary<bool>()};
    const ElementwisePlan plan{random_sweep()};
    check_layer<AddForwardOp>(
        p, to_string(plan), add_forward, as_it_is, [&](const PlainTensors& in, PlainTensors& out) {
          add(in.at<float>("a"), in.at<float>("b"), out.at<float>("dst"), p.elements(), p.relu, plan);
        });
  }));
}

TEST(AddOracle, RandomBackward) {
  EXPECT_TRUE(rc::check([] {
    const AddProblem p{.N = up_to(4), .E = random_size({16, 64, 1000})};
    const ElementwisePlan plan{random_sweep()};
    check_layer<AddBackwardOp>(
        p, to_string(plan), add_backward, as_it_is, [&](const PlainTensors& in, PlainTensors& out) {
          relu_backward(in.at<float>("dst"), in.at<float>("ddst"), out.at<float>("dsrc"), p.elements(), plan);
        });
  }));
}

TEST(SgdOracle, RandomSteps) {
  EXPECT_TRUE(rc::check([] {
    const SgdProblem p{.P = random_size({16, 64, 1000})};
    const ElementwisePlan plan{random_sweep()};
    check_layer<SgdOp>(
        p, to_string(plan),
        [](const SgdProblem& problem, const PlainTensors& in) { return sgd_update(problem, SgdOp::step, in); },
        as_it_is,
        [&](const PlainTensors& in, PlainTensors& out) {
          sgd(SgdOp::step, {in.at<float>("weights"), in.at<float>("velocity"), in.at<float>("gradient")},
              {out.at<float>("new_weights"), out.at<float>("new_velocity")}, p.P, plan);
        });
  }));
}

SoftmaxLossProblem random_softmax() { return {.N = up_to(20), .C = random_size({16, 32, 64, 100})}; }

TEST(SoftmaxLossOracle, RandomForward) {
  EXPECT_TRUE(rc::check([] {
    const SoftmaxLossProblem p = random_softmax();
    const ElementwisePlan plan{random_sweep()};
    check_layer<SoftmaxLossForwardOp>(
        p, to_string(plan), softmax_loss,
        [&](PlainTensors& in, SownValues& values) {
          values.fill(in, "logits", 8);
          values.fill_whole(in, "labels", 0, static_cast<int>(p.C - 1));
        },
        [&](const PlainTensors& in, PlainTensors& out) {
          *out.at<float>("loss") =
              SoftmaxLoss(p, plan).run(in.at<float>("logits"), in.at<std::int32_t>("labels"), nullptr);
        });
  }));
}

TEST(SoftmaxLossOracle, RandomBackward) {
  EXPECT_TRUE(rc::check([] {
    const SoftmaxLossProblem p = random_softmax();
    const ElementwisePlan plan{random_sweep()};
    check_layer<SoftmaxLossBackwardOp>(
        p, to_string(plan), softmax_gradient,
        [&](PlainTensors& in, SownValues& values) {
          values.fill(in, "logits", 8);
          values.fill_whole(in, "labels", 0, static_cast<int>(p.C - 1));
        },
        [&](const PlainTensors& in, PlainTensors& out) {
          SoftmaxLoss(p, plan).run(in.at<float>("logits"), in.at<std::int32_t>("labels"), out.at<float>("dlogits"));
        });
  }));
}

}  // namespace
}  // namespace brickwork::oracle
