// im2col and one large SGEMM per image, all in NCHW: dweights [K][C*R*S] += ddst_n [K][P*Q] * columns^T [P*Q][C*R*S].
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>

#include "baselines/openblas/openblas_conv.hpp"

namespace brickwork {
namespace {

class PreparedIm2colUpdate final : public Prepared {
 public:
  PreparedIm2colUpdate(const ConvProblem& p, const PlainTensors& in, int threads)
      : problem_(p),
        src_(in.at<float>("src")),
        ddst_(in.at<float>("ddst")),
        columns_(p, threads),
        dweights_(p.K * columns_.rows()) {
    openblas::use_threads(threads);
  }

  void pack() override {}  // works on the plain tensors; im2col is part of run()

  void run() override {
    const std::int64_t K = problem_.K, pixels = columns_.pixels(), rows = columns_.rows();
    for (std::int64_t n = 0; n < problem_.N; ++n) {
      const float* columns = columns_.fill(src_ + n * columns_.image_size());
      openblas::sgemm(K, rows, pixels, {ddst_ + n * K * pixels, pixels}, {columns, pixels, true}, n == 0 ? 0.0f : 1.0f,
                      dweights_.data());
    }
  }

  void unpack(PlainTensors& out) override { std::ranges::copy(dweights_, out.at<float>("dweights")); }

  std::string implementation() const override { return columns_.is_image() ? "sgemm" : "im2col+sgemm"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  ConvProblem problem_;
  const float *src_, *ddst_;  // plain
  openblas::ImageColumns columns_;
  AlignedBuffer<float> dweights_;
};

}  // namespace

Contender<ConvWeightUpdateOp> im2col_conv_weight_update() {
  return {.name = "im2col",
          .library = {"OpenBLAS", openblas::version()},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = openblas::unsupported_conv(p, r)) return Result<PreparedPtr>::unsupported(*why);
            if (p.epilogue.any()) {
              return Result<PreparedPtr>::unsupported(
                  "this baseline computes no gradient of a bias: the epilogue must be none");
            }
            return {std::make_unique<PreparedIm2colUpdate>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvWeightUpdateOp> brickwork::im2col_conv_weight_update() {
  return absent_library<ConvWeightUpdateOp>("im2col", "OpenBLAS");
}

#endif
