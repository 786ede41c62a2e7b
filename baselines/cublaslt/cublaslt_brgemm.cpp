// A league of the brick's calls as one matrix product of cuBLASLt over all their rows.
#include "baselines/brgemm_baselines.hpp"
#include "baselines/contender/cuda_device.hpp"
#include "baselines/cublaslt/cublaslt.hpp"

namespace brickwork {

Contender<BrgemmLeagueOp> cublaslt_brgemm([[maybe_unused]] Precision precision) {
  auto contender = cublaslt::contender<BrgemmLeagueOp>();
#ifdef BRICKWORK_HAS_CUBLASLT
  contender.prepare = [precision](const BrgemmLeagueProblem& p, const PlainTensors& in,
                                  const Resources&) -> Result<PreparedPtr> {
    // C[row][j] = sum over i of B[i][j] A[row][i]
    const cublaslt::Product product{"B", "A", "C", false, false, p.n, p.tasks * p.m, p.depth()};
    return cuda::prepared([&] { return cublaslt::prepare(product, precision, in); });
  };
#endif
  return contender;
}

}  // namespace brickwork
