// The alternative that the batch-reduce paper argues against: direct blocked loops with one small GEMM for every (c
// block, r, s), so that each output row is loaded and stored Cb * R * S times instead of once.
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "baselines/gemm_loops/largest_divisor.hpp"
#include "baselines/tensors/blocked_conv_tensors.hpp"
#include "kernels/cpu/libxsmm/libxsmm_target.hpp"

namespace brickwork {
namespace {

// C [Q][bk] += A [Q][bc] * B [bc][bk], rows of A stride_w pixels apart. LIBXSMM is column-major: its A is our B.
libxsmm_smmfunction make_gemm(const ConvProblem& p, std::int64_t bc, std::int64_t bk) {
  const libxsmm_blasint m = static_cast<libxsmm_blasint>(bk), n = static_cast<libxsmm_blasint>(p.Q()),
                        k = static_cast<libxsmm_blasint>(bc), ldb = static_cast<libxsmm_blasint>(p.stride_w * bc);
  const float one = 1.0f;
  const libxsmm_smmfunction gemm =
      libxsmm_smmdispatch(m, n, k, &m, &ldb, &m, &one, &one, nullptr /* flags */, nullptr /* prefetch */);
  if (!gemm) throw std::runtime_error(fmt::format("LIBXSMM has no GEMM for m={} n={} k={}", m, n, k));
  return gemm;
}

class PreparedSmallGemmConv final : public Prepared {
 public:
  PreparedSmallGemmConv(const ConvProblem& p, const PlainTensors& in, int threads)
      : in_(in),
        tensors_(p, largest_divisor_up_to_64(p.C), largest_divisor_up_to_64(p.K), threads),
        gemm_(make_gemm(p, tensors_.weights.bc, tensors_.weights.bk)) {}

  void pack() override {
    tensors_.src.pack(in_.at<float>("src"));
    tensors_.weights.pack(in_.at<float>("weights"));
  }

  void run() override {
    const ConvProblem& p = tensors_.problem;
#pragma omp parallel for num_threads(tensors_.threads) collapse(3)
    for (std::int64_t n = 0; n < p.N; ++n) {
      for (std::int64_t kb = 0; kb < tensors_.dst.blocks; ++kb) {
        for (std::int64_t row = 0; row < p.P(); ++row) add_up_row(n, kb, row);
      }
    }
  }

  void unpack(PlainTensors& out) override { tensors_.dst.unpack(out.at<float>("dst")); }

  std::string implementation() const override {
    return fmt::format("bc{}_bk{}", tensors_.src.block, tensors_.dst.block);
  }
  std::string isa() const override { return libxsmm_get_target_arch(); }

 private:
  void add_up_row(std::int64_t n, std::int64_t kb, std::int64_t row) {
    const ConvProblem& p = tensors_.problem;
    float* dst = tensors_.dst.row(n, kb, row);
    std::fill_n(dst, p.Q() * tensors_.dst.block, 0.0f);
    for (std::int64_t cb = 0; cb < tensors_.src.blocks; ++cb) {
      for (std::int64_t r = 0; r < p.R; ++r) {
        const float* src = tensors_.src.row(n, cb, row * p.stride_h + r);
        for (std::int64_t s = 0; s < p.S; ++s) {
          gemm_(tensors_.weights.at(kb, cb, r, s), src + s * tensors_.src.block, dst);
        }
      }
    }
  }

  const PlainTensors& in_;
  libxsmm::BlockedConvTensors tensors_;
  libxsmm_smmfunction gemm_;
};

std::optional<std::string> unsupported(const ConvProblem& p) {
  if (const auto why = libxsmm::unsupported_target()) return why;
  if (p.epilogue.any()) return "the loops of small GEMMs fuse nothing: the epilogue must be none";
  if (p.Q() > std::numeric_limits<libxsmm_blasint>::max() ||
      p.stride_w > std::numeric_limits<libxsmm_blasint>::max() / 64) {
    return "LIBXSMM's GEMM takes sizes below 2^31 only";
  }
  return std::nullopt;
}

}  // namespace

Contender<ConvForwardOp> small_gemm_conv() {
  return {.name = "small-gemm",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = unsupported(p)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedSmallGemmConv>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::small_gemm_conv() {
  return absent_library<ConvForwardOp>("small-gemm", "LIBXSMM");
}

#endif
