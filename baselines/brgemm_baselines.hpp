// The libraries against which the brick itself is measured. Each exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#include "primitives/brgemm/op/brgemm_league_op.hpp"
#include "primitives/brgemm/op/brgemm_op.hpp"

namespace brickwork {

Contender<BrgemmOp> libxsmm_small_gemm();     // a loop of LIBXSMM's GEMMs, no batch-reduce
Contender<BrgemmOp> openblas_small_gemm();    // a loop of cblas_sgemm
Contender<BrgemmOp> onednn_batched_matmul();  // a batched matmul, then the sum over its outputs

// A league's calls as one product on a GPU: the fastest that cuBLASLt's heuristics propose.
Contender<BrgemmLeagueOp> cublaslt_brgemm(Precision);

}  // namespace brickwork
