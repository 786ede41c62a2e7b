// A pass of a fully connected layer as one SGEMM of OpenBLAS on the plain tensors.
#include "baselines/fc_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>
#include <limits>
#include <tuple>

#include "baselines/openblas/openblas.hpp"

namespace brickwork {
namespace openblas {
namespace {

class PreparedFc : public Prepared {
 public:
  PreparedFc(const FcProblem& p, const PlainTensors& in, int threads, std::int64_t result_size)
      : problem_(p), in_(in), threads_(threads), result_(result_size) {
    use_threads(threads);
  }

  void pack() override {}  // works on the plain tensors
  std::string implementation() const override { return "sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 protected:
  const float* plain(const char* name) const { return in_.at<float>(name); }

  FcProblem problem_;
  const PlainTensors& in_;
  int threads_;
  AlignedBuffer<float> result_;
};

class PreparedFcForward final : public PreparedFc {
 public:
  PreparedFcForward(const FcProblem& p, const PlainTensors& in, int threads) : PreparedFc(p, in, threads, p.N * p.K) {}

  void run() override {
    const auto& [N, C, K] = std::tie(problem_.N, problem_.C, problem_.K);
    sgemm(N, K, C, {plain("src"), C}, {plain("weights"), C, true}, 0.0f, result_.data());
    if (problem_.epilogue.any()) apply_epilogue();
  }
  void unpack(PlainTensors& out) override { std::ranges::copy(result_, out.at<float>("dst")); }

 private:
  void apply_epilogue() {
    const float *bias = plain("bias"), *residual = plain("residual");
    const float least =
        problem_.epilogue.activation == Activation::relu ? 0.0f : -std::numeric_limits<float>::infinity();
    const std::int64_t K = problem_.K;
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t n = 0; n < problem_.N; ++n) {
      for (std::int64_t k = 0; k < K; ++k) {
        float& x = result_[n * K + k];
        x = std::max(least,
                     x + (bias != nullptr ? bias[k] : 0.0f) + (residual != nullptr ? residual[n * K + k] : 0.0f));
      }
    }
  }
};

class PreparedFcBackwardData final : public PreparedFc {
 public:
  PreparedFcBackwardData(const FcProblem& p, const PlainTensors& in, int threads)
      : PreparedFc(p, in, threads, p.N * p.C) {}

  void run() override {
    const auto& [N, C, K] = std::tie(problem_.N, problem_.C, problem_.K);
    sgemm(N, C, K, {plain("ddst"), K}, {plain("weights"), C}, 0.0f, result_.data());
  }
  void unpack(PlainTensors& out) override { std::ranges::copy(result_, out.at<float>("dsrc")); }
};

class PreparedFcWeightUpdate final : public PreparedFc {
 public:
  PreparedFcWeightUpdate(const FcProblem& p, const PlainTensors& in, int threads)
      : PreparedFc(p, in, threads, p.K * p.C) {}

  void run() override {
    const auto& [N, C, K] = std::tie(problem_.N, problem_.C, problem_.K);
    sgemm(K, C, N, {plain("ddst"), K, true}, {plain("src"), C}, 0.0f, result_.data());
  }
  void unpack(PlainTensors& out) override { std::ranges::copy(result_, out.at<float>("dweights")); }
};

template <Operation Op, class PreparedPass>
Contender<Op> fc_contender() {
  return {
      .name = "openblas",
      .library = {"OpenBLAS", version()},
      .prepare = [](const FcProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
        if (const auto why = unsupported({p.N, p.C, p.K}, "N, C and K", r.threads)) {
          return Result<PreparedPtr>::unsupported(*why);
        }
        if (!std::is_same_v<Op, FcForwardOp> && p.epilogue.any()) {
          return Result<PreparedPtr>::unsupported(
              "this baseline is one SGEMM and fuses nothing: the epilogue must be none");
        }
        if (is_curve(p.epilogue.activation)) {
          return Result<PreparedPtr>::unsupported(
              "the loop after the SGEMM computes no curve: the epilogue must be none, or some of bias, residual, relu");
        }
        return {std::make_unique<PreparedPass>(p, in, r.threads)};
      }};
}

}  // namespace
}  // namespace openblas

Contender<FcForwardOp> openblas_fc_forward() {
  return openblas::fc_contender<FcForwardOp, openblas::PreparedFcForward>();
}
Contender<FcBackwardDataOp> openblas_fc_backward_data() {
  return openblas::fc_contender<FcBackwardDataOp, openblas::PreparedFcBackwardData>();
}
Contender<FcWeightUpdateOp> openblas_fc_weight_update() {
  return openblas::fc_contender<FcWeightUpdateOp, openblas::PreparedFcWeightUpdate>();
}

}  // namespace brickwork

#else

namespace brickwork {
Contender<FcForwardOp> openblas_fc_forward() { return absent_library<FcForwardOp>("openblas", "OpenBLAS"); }
Contender<FcBackwardDataOp> openblas_fc_backward_data() {
  return absent_library<FcBackwardDataOp>("openblas", "OpenBLAS");
}
Contender<FcWeightUpdateOp> openblas_fc_weight_update() {
  return absent_library<FcWeightUpdateOp>("openblas", "OpenBLAS");
}
}  // namespace brickwork

#endif
