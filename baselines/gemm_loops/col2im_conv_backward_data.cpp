// One large SGEMM per image and col2im, all in NCHW: columns [C*R*S][P*Q] = weights^T [C*R*S][K] * ddst_n [K][P*Q],
// which col2im adds up to dsrc_n at the places of their taps.
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include <algorithm>

#include "baselines/openblas/openblas_conv.hpp"

namespace brickwork {
namespace {

class PreparedCol2imConv final : public Prepared {
 public:
  PreparedCol2imConv(const ConvProblem& p, const PlainTensors& in, int threads)
      : problem_(p),
        ddst_(in.at<float>("ddst")),
        weights_(in.at<float>("weights")),
        columns_(p, threads),
        dsrc_(p.N * columns_.image_size()) {
    openblas::use_threads(threads);
  }

  void pack() override {}  // works on the plain tensors; col2im is part of run()

  void run() override {
    const std::int64_t K = problem_.K, pixels = columns_.pixels(), rows = columns_.rows();
    for (std::int64_t n = 0; n < problem_.N; ++n) {
      float* image = dsrc_.data() + n * columns_.image_size();
      openblas::sgemm(rows, pixels, K, {weights_, rows, true}, {ddst_ + n * K * pixels, pixels}, 0.0f,
                      columns_.of(image));
      columns_.add_up(image);
    }
  }

  void unpack(PlainTensors& out) override { std::ranges::copy(dsrc_, out.at<float>("dsrc")); }

  std::string implementation() const override { return columns_.is_image() ? "sgemm" : "sgemm+col2im"; }
  std::string isa() const override { return openblas::isa(); }

 private:
  ConvProblem problem_;
  const float *ddst_, *weights_;  // plain
  openblas::ImageColumns columns_;
  AlignedBuffer<float> dsrc_;
};

}  // namespace

Contender<ConvBackwardDataOp> col2im_conv_backward_data() {
  return {
      .name = "col2im",
      .library = {"OpenBLAS", openblas::version()},
      .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
        if (const auto why = openblas::unsupported_conv(p, r)) return Result<PreparedPtr>::unsupported(*why);
        if (p.epilogue.any())
          return Result<PreparedPtr>::unsupported("this baseline fuses nothing into col2im: the epilogue must be none");
        return {std::make_unique<PreparedCol2imConv>(p, in, r.threads)};
      }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvBackwardDataOp> brickwork::col2im_conv_backward_data() {
  return absent_library<ConvBackwardDataOp>("col2im", "OpenBLAS");
}

#endif
