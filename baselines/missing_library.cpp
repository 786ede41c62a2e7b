#include "missing_library.hpp"

#include "baselines.hpp"

namespace brickwork {

#ifndef BRICKWORK_HAS_ONEDNN
std::unique_ptr<ConvContender> make_onednn_conv() { return std::make_unique<MissingConv>("onednn", "oneDNN"); }
std::unique_ptr<BrgemmContender> make_onednn_batched_matmul() {
  return std::make_unique<MissingBrgemm>("onednn-matmul", "oneDNN");
}
#endif

#ifndef BRICKWORK_HAS_LIBXSMM
std::unique_ptr<ConvContender> make_libxsmm_dnn_conv() {
  return std::make_unique<MissingConv>("libxsmm-dnn", "LIBXSMM");
}
std::unique_ptr<ConvContender> make_small_gemm_conv() { return std::make_unique<MissingConv>("small-gemm", "LIBXSMM"); }
std::unique_ptr<BrgemmContender> make_libxsmm_small_gemm() {
  return std::make_unique<MissingBrgemm>("libxsmm-gemm", "LIBXSMM");
}
#endif

#ifndef BRICKWORK_HAS_OPENBLAS
std::unique_ptr<ConvContender> make_im2col_conv() { return std::make_unique<MissingConv>("im2col", "OpenBLAS"); }
std::unique_ptr<BrgemmContender> make_openblas_small_gemm() {
  return std::make_unique<MissingBrgemm>("openblas-gemm", "OpenBLAS");
}
#endif

}  // namespace brickwork
