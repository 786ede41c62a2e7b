#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/add_baselines.hpp"
#include "baselines/attention_baselines.hpp"
#include "baselines/batch_norm_baselines.hpp"
#include "baselines/brgemm_baselines.hpp"
#include "baselines/conv_baselines.hpp"
#include "baselines/fc_baselines.hpp"
#include "baselines/gnmt_baselines.hpp"
#include "baselines/network_baselines.hpp"
#include "baselines/pool_baselines.hpp"
#include "baselines/recursive_baselines.hpp"
#include "baselines/rnn_baselines.hpp"

namespace brickwork {
namespace {

template <Operation Op>
void expect_absent(const Contender<Op>& contender, const std::string& name, const std::string& library) {
  EXPECT_EQ(contender.name, name);
  EXPECT_EQ(contender.library.name, library);
  const auto prepared = prepare(contender, {}, {}, {});
  EXPECT_EQ(prepared.status(), Status::absent) << name;
  EXPECT_THAT(prepared.reason(), testing::StartsWith("built without " + library + ": run scripts/setup"));
}

TEST(WithoutLibraries, EveryBaselineSaysWhichIsMissing) {
  expect_absent(onednn_conv(), "onednn", "oneDNN");
  expect_absent(libxsmm_dnn_conv(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(im2col_conv(), "im2col", "OpenBLAS");
  expect_absent(small_gemm_conv(), "small-gemm", "LIBXSMM");
  expect_absent(onednn_conv_backward_data(), "onednn", "oneDNN");
  expect_absent(libxsmm_dnn_conv_backward_data(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(col2im_conv_backward_data(), "col2im", "OpenBLAS");
  expect_absent(onednn_conv_weight_update(), "onednn", "oneDNN");
  expect_absent(libxsmm_dnn_conv_weight_update(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(im2col_conv_weight_update(), "im2col", "OpenBLAS");
  expect_absent(onednn_fc_forward(), "onednn", "oneDNN");
  expect_absent(onednn_fc_backward_data(), "onednn", "oneDNN");
  expect_absent(onednn_fc_weight_update(), "onednn", "oneDNN");
  expect_absent(libxsmm_dnn_fc_forward(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(libxsmm_dnn_fc_backward_data(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(libxsmm_dnn_fc_weight_update(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(openblas_fc_forward(), "openblas", "OpenBLAS");
  expect_absent(openblas_fc_backward_data(), "openblas", "OpenBLAS");
  expect_absent(openblas_fc_weight_update(), "openblas", "OpenBLAS");
  expect_absent(libxsmm_small_gemm(), "libxsmm-gemm", "LIBXSMM");
  expect_absent(openblas_small_gemm(), "openblas-gemm", "OpenBLAS");
  expect_absent(onednn_batched_matmul(), "onednn-matmul", "oneDNN");
  expect_absent(onednn_add(), "onednn", "oneDNN");
  expect_absent(onednn_add_backward(), "onednn", "oneDNN");
  expect_absent(onednn_attention_forward(), "onednn", "oneDNN");
  expect_absent(onednn_attention_backward(), "onednn", "oneDNN");
  expect_absent(openblas_attention_forward(), "openblas", "OpenBLAS");
  expect_absent(openblas_attention_backward(), "openblas", "OpenBLAS");
  expect_absent(onednn_batch_norm(), "onednn", "oneDNN");
  expect_absent(onednn_batch_norm_inference(), "onednn", "oneDNN");
  expect_absent(onednn_batch_norm_backward(), "onednn", "oneDNN");
  expect_absent(onednn_pool(), "onednn", "oneDNN");
  expect_absent(onednn_pool_backward(), "onednn", "oneDNN");
  expect_absent(onednn_gnmt(), "onednn", "oneDNN");
  expect_absent(onednn_recursive_inference(), "onednn", "oneDNN");
  expect_absent(onednn_recursive_training(), "onednn", "oneDNN");
  expect_absent(onednn_rnn_inference(), "onednn", "oneDNN");
  expect_absent(onednn_rnn_forward(), "onednn", "oneDNN");
  expect_absent(onednn_rnn_backward(), "onednn", "oneDNN");
  expect_absent(onednn_rnn_backward_data(), "onednn", "oneDNN");
  expect_absent(onednn_rnn_weight_update(), "onednn", "oneDNN");
  expect_absent(libxsmm_dnn_rnn_inference(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(libxsmm_dnn_rnn_forward(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(libxsmm_dnn_rnn_backward(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(libxsmm_dnn_rnn_backward_data(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(libxsmm_dnn_rnn_weight_update(), "libxsmm-dnn", "LIBXSMM");
  expect_absent(openblas_rnn_inference(), "openblas", "OpenBLAS");
  expect_absent(openblas_rnn_forward(), "openblas", "OpenBLAS");
  expect_absent(openblas_rnn_backward(), "openblas", "OpenBLAS");
  expect_absent(openblas_rnn_backward_data(), "openblas", "OpenBLAS");
  expect_absent(openblas_rnn_weight_update(), "openblas", "OpenBLAS");
  expect_absent(onednn_resnet(), "onednn", "oneDNN");
  expect_absent(onednn_mlp(), "onednn", "oneDNN");
  expect_absent(cudnn_conv<ConvForwardOp>(Precision::f32), "cudnn", "cuDNN");
  expect_absent(cudnn_conv<ConvBackwardDataOp>(Precision::tf32), "cudnn", "cuDNN");
  expect_absent(cudnn_conv<ConvWeightUpdateOp>(Precision::bf16), "cudnn", "cuDNN");
  expect_absent(cudnn_conv_transforms<ConvForwardOp>(Precision::f32), "cudnn-transforms", "cuDNN");
  expect_absent(cudnn_rnn<RnnInferenceOp>(Precision::f32), "cudnn", "cuDNN");
  expect_absent(cudnn_rnn<RnnForwardOp>(Precision::tf32), "cudnn", "cuDNN");
  expect_absent(cudnn_rnn<RnnBackwardOp>(Precision::f32), "cudnn", "cuDNN");
  EXPECT_THAT(prepare(cublaslt_fc<FcForwardOp>(Precision::f32), {}, {}, {}).reason(),
              testing::StartsWith("built without cuBLASLt: install CUDA's toolkit"));
  EXPECT_EQ(prepare_onednn_network({}, NetworkPart::step, {}).status(), Status::absent);
}

}  // namespace
}  // namespace brickwork
