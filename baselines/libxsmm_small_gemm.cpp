// The brick's work as a loop of LIBXSMM's small GEMMs: C is loaded and stored once per member of the batch.
#include <fmt/format.h>
#include <libxsmm.h>

#include <stdexcept>

#include "baselines.hpp"
#include "small_gemm_blocks.hpp"

namespace brickwork {
namespace {

// LIBXSMM is column-major: its A is our B, its m our n.
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
  PreparedLibxsmmSmallGemm(const BrgemmProblem& p, const BrgemmTensors& t)
      : SmallGemmBlocks(p, t), overwrite_(make_gemm(p, 0.0f)), add_(make_gemm(p, 1.0f)) {}

  void run() override {
    overwrite_(b_block(0), a_block(0), c.data());
    for (std::int64_t i = 1; i < problem.batch; ++i) add_(b_block(i), a_block(i), c.data());
  }

  std::string isa() const override { return libxsmm_get_target_arch(); }

 private:
  libxsmm_smmfunction overwrite_, add_;
};

class LibxsmmSmallGemm final : public BrgemmContender {
 public:
  std::string name() const override { return "libxsmm-gemm"; }
  std::string backend() const override { return "LIBXSMM"; }
  std::string version() const override { return LIBXSMM_CONFIG_VERSION; }
  std::optional<std::string> unsupported(const BrgemmProblem&, const Resources& r) const override {
    return needs_one_thread(r);
  }
  std::unique_ptr<Prepared> prepare(const BrgemmProblem& p, const BrgemmTensors& t, const Resources&) const override {
    return std::make_unique<PreparedLibxsmmSmallGemm>(p, t);
  }
};

}  // namespace

std::unique_ptr<BrgemmContender> make_libxsmm_small_gemm() { return std::make_unique<LibxsmmSmallGemm>(); }

}  // namespace brickwork
