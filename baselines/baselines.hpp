// The libraries we are measured against. A baseline whose library this build lacks is still made: its unsupported()
// says which library is missing, so that its rows say why there is no number.
#pragma once
#include <memory>

#include "contender.hpp"

namespace brickwork {

// "onednn": its own best layout (format any).
std::unique_ptr<ConvContender> make_onednn_conv();
// "libxsmm-dnn": the paper authors' own primitive.
std::unique_ptr<ConvContender> make_libxsmm_dnn_conv();
// "im2col": im2col + OpenBLAS SGEMM, NCHW.
std::unique_ptr<ConvContender> make_im2col_conv();
// "small-gemm": the direct loops with one LIBXSMM GEMM per (c block, r, s).
std::unique_ptr<ConvContender> make_small_gemm_conv();

// "libxsmm-gemm": loop of LIBXSMM GEMMs, no batch-reduce.
std::unique_ptr<BrgemmContender> make_libxsmm_small_gemm();
// "openblas-gemm": loop of cblas_sgemm.
std::unique_ptr<BrgemmContender> make_openblas_small_gemm();
// "onednn-matmul": batched matmul, then the sum over its outputs.
std::unique_ptr<BrgemmContender> make_onednn_batched_matmul();

}  // namespace brickwork
