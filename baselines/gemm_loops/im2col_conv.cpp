// im2col and one large SGEMM per image, all in NCHW: dst_n [K][P*Q] = weights [K][C*R*S] * columns [C*R*S][P*Q].
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>
#include <limits>

#include "baselines/openblas/openblas_conv.hpp"

namespace brickwork {
namespace {

class PreparedIm2colConv final : public Prepared {
 public:
  PreparedIm2colConv(const ConvProblem& p, const PlainTensors& in, int threads)
      : problem_(p),
        src_(in.at<float>("src")),
        weights_(in.at<float>("weights")),
        bias_(in.at<float>("bias")),
        residual_(in.at<float>("residual")),
        threads_(threads),
        columns_(p, threads),
        dst_(p.N * p.K * p.P() * p.Q()) {
    openblas::use_threads(threads);
  }

  void pack() override {}  // works on the plain tensors; im2col is part of run()

  void run() override {
    const ConvProblem& p = problem_;
    const std::int64_t pixels = columns_.pixels(), reduction = columns_.rows();
    for (std::int64_t n = 0; n < p.N; ++n) {
      const float* columns = columns_.fill(src_ + n * columns_.image_size());
      openblas::sgemm(p.K, pixels, reduction, {weights_, reduction}, {columns, pixels}, 0.0f,
                      dst_.data() + n * p.K * pixels);
    }
    if (p.epilogue.any()) apply_epilogue();
  }

  void unpack(PlainTensors& out) override { std::ranges::copy(dst_, out.at<float>("dst")); }

  std::string implementation() const override { return columns_.is_image() ? "sgemm" : "im2col+sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  void apply_epilogue() {
    const ConvProblem& p = problem_;
    const std::int64_t pixels = p.P() * p.Q();
#pragma omp parallel for num_threads(threads_) collapse(2)
    for (std::int64_t n = 0; n < p.N; ++n) {
      for (std::int64_t k = 0; k < p.K; ++k) {
        const std::int64_t begin = (n * p.K + k) * pixels;
        float* dst = dst_.data() + begin;
        const float bias = bias_ != nullptr ? bias_[k] : 0.0f;
        const float least = p.epilogue.activation == Activation::relu ? 0.0f : -std::numeric_limits<float>::infinity();
        if (residual_ != nullptr) {
          const float* residual = residual_ + begin;
          for (std::int64_t i = 0; i < pixels; ++i) dst[i] = std::max(least, dst[i] + bias + residual[i]);
        } else {
          for (std::int64_t i = 0; i < pixels; ++i) dst[i] = std::max(least, dst[i] + bias);
        }
      }
    }
  }

  ConvProblem problem_;
  const float *src_, *weights_, *bias_, *residual_;  // plain; null if the problem has none
  int threads_;
  openblas::ImageColumns columns_;
  AlignedBuffer<float> dst_;
};

}  // namespace

Contender<ConvForwardOp> im2col_conv() {
  return {
      .name = "im2col",
      .library = {"OpenBLAS", openblas::version()},
      .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
        if (const auto why = openblas::unsupported_conv(p, r)) return Result<PreparedPtr>::unsupported(*why);
        if (is_curve(p.epilogue.activation)) {
          return Result<PreparedPtr>::unsupported(
              "the loop after the SGEMM computes no curve: the epilogue must be none, or some of bias, residual, relu");
        }
        return {std::make_unique<PreparedIm2colConv>(p, in, r.threads)};
      }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::im2col_conv() {
  return absent_library<ConvForwardOp>("im2col", "OpenBLAS");
}

#endif
