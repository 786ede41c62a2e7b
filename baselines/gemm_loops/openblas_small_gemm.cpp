// The brick's work as a loop of cblas_sgemm, one call per member of the batch.
#include "baselines/brgemm_baselines.hpp"
#ifdef BRICKWORK_HAS_OPENBLAS
#include "baselines/gemm_loops/small_gemm_blocks.hpp"
#include "baselines/openblas/openblas.hpp"

namespace brickwork {
namespace {

class PreparedOpenblasSmallGemm final : public SmallGemmBlocks {
 public:
  PreparedOpenblasSmallGemm(const BrgemmProblem& p, const PlainTensors& in) : SmallGemmBlocks(p, in) {
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

}  // namespace

Contender<BrgemmOp> openblas_small_gemm() {
  return {.name = "openblas-gemm",
          .library = {"OpenBLAS", openblas::version()},
          .prepare = [](const BrgemmProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            if (const auto why = SmallGemmBlocks::unsupported(r)) return Result<PreparedPtr>::unsupported(*why);
            return {std::make_unique<PreparedOpenblasSmallGemm>(p, in)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::BrgemmOp> brickwork::openblas_small_gemm() {
  return absent_library<BrgemmOp>("openblas-gemm", "OpenBLAS");
}

#endif
