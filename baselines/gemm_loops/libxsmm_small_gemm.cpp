// The brick's work as a loop of LIBXSMM's small GEMMs: C is loaded and stored once per member of the batch.
#include "baselines/brgemm_baselines.hpp"
#ifdef BRICKWORK_HAS_LIBXSMM
#include <fmt/format.h>

#include <stdexcept>

#include "baselines/gemm_loops/small_gemm_blocks.hpp"
#include "kernels/cpu/libxsmm/libxsmm_target.hpp"

namespace brickwork {
namespace {

// LIBXSMM is column-major: its A is our B, its m is our n.
libxsmm_smmfunction make_gemm(const BrgemmProblem& p, float beta) {
  const libxsmm_blasint m = static_cast<libxsmm_blasint>(p.n), n = static_cast<libxsmm_blasint>(p.m),
                        k = static_cast<libxsmm_blasint>(p.k);
  const float alpha = 1.0f;
  const libxsmm_smmfunction gemm =
      libxsmm_smmdispatch(m, n, k, &m, &k, &m, &alpha, &beta, nullptr /* flags */, nullptr /* prefetch */);
  if (!gemm) throw std::runtime_error(fmt::format("LIBXSMM has no GEMM for m={} n={} k={}", m, n, k));
  return gemm;
}

class PreparedLibxsmmSmallGemm final : public SmallGemmBlocks {
 public:
  PreparedLibxsmmSmallGemm(const BrgemmProblem& p, const PlainTensors& in)
      : SmallGemmBlocks(p, in), overwrite_(make_gemm(p, 0.0f)), add_(make_gemm(p, 1.0f)) {}

  void run() override {
    overwrite_(b_block(0), a_block(0), c.data());
    for (std::int64_t i = 1; i < problem.batch; ++i) add_(b_block(i), a_block(i), c.data());
  }

  std::string isa() const override { return libxsmm_get_target_arch(); }

 private:
  libxsmm_smmfunction overwrite_, add_;
};

}  // namespace

Contender<BrgemmOp> libxsmm_small_gemm() {
  return {.name = "libxsmm-gemm",
          .library = {"LIBXSMM", LIBXSMM_CONFIG_VERSION},
          .prepare = [](const BrgemmProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = libxsmm::unsupported_target()) return Result<PreparedPtr>::unsupported(*why);
            if (const auto why = SmallGemmBlocks::unsupported(r)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedLibxsmmSmallGemm>(p, in)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::BrgemmOp> brickwork::libxsmm_small_gemm() {
  return absent_library<BrgemmOp>("libxsmm-gemm", "LIBXSMM");
}

#endif
