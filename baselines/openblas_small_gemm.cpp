// The brick's work as a loop of cblas_sgemm, one call per member of the batch.
#include "baselines.hpp"
#include "openblas.hpp"
#include "small_gemm_blocks.hpp"

namespace brickwork {
namespace {

class PreparedOpenblasSmallGemm final : public SmallGemmBlocks {
 public:
  PreparedOpenblasSmallGemm(const BrgemmProblem& p, const BrgemmTensors& t) : SmallGemmBlocks(p, t) {
    openblas::use_threads(1);
  }

  void run() override {
    const blasint m = static_cast<blasint>(problem.m), n = static_cast<blasint>(problem.n),
                  k = static_cast<blasint>(problem.k);
    for (std::int64_t i = 0; i < problem.batch; ++i) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a_block(i), k, b_block(i), n,
                  i == 0 ? 0.0f : 1.0f, c.data(), n);
    }
  }

  std::string isa() const override { return openblas::isa(); }
};

class OpenblasSmallGemm final : public BrgemmContender {
 public:
  std::string name() const override { return "openblas-gemm"; }
  std::string backend() const override { return "OpenBLAS"; }
  std::string version() const override { return openblas::version(); }
  std::optional<std::string> unsupported(const BrgemmProblem&, const Resources& r) const override {
    return needs_one_thread(r);
  }
  std::unique_ptr<Prepared> prepare(const BrgemmProblem& p, const BrgemmTensors& t, const Resources&) const override {
    return std::make_unique<PreparedOpenblasSmallGemm>(p, t);
  }
};

}  // namespace

std::unique_ptr<BrgemmContender> make_openblas_small_gemm() { return std::make_unique<OpenblasSmallGemm>(); }

}  // namespace brickwork
