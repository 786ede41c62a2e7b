// Convolution's passes on a GPU. Without a GPU these tests skip and say why.
#include <gtest/gtest.h>

#include <vector>

#include "primitives/conv/gpu/conv_drivers_on_cuda.hpp"
#include "primitives/conv/gpu/conv_gpu_plan.hpp"
#include "primitives/conv/testing/conv_pass_check.hpp"
#include "primitives/testing/cuda_settings.hpp"

namespace brickwork {
namespace {

// Runs a pass on the device and copies the tensors there and back.
template <class T, class TC>
struct OnCuda {
  CudaSetting setting;

  void operator()(const ConvForwardBlocking& b, const std::vector<T>& src, const std::vector<T>& weights,
                  const std::vector<float>& bias, const std::vector<TC>& residual, std::vector<TC>& dst) const {
    const CudaMemory<T> src_there(src), weights_there(weights);
    const CudaMemory<float> bias_there(bias);
    const CudaMemory<TC> residual_there(residual), dst_there(dst);
    ConvForwardOnCuda<T, TC>(b).run(src_there.data(), weights_there.data(), bias_there.data(), residual_there.data(),
                                    dst_there.data(), setting);
    cuda_finish();
    dst_there.copy_to(dst.data());
  }

  void operator()(const ConvBackwardBlocking& b, const std::vector<T>& ddst, const std::vector<T>& weights,
                  const std::vector<TC>& residual, const std::vector<TC>& at, std::vector<TC>& dsrc) const {
    const CudaMemory<T> ddst_there(ddst), weights_there(weights);
    const CudaMemory<TC> residual_there(residual), at_there(at), dsrc_there(dsrc);
    const ConvBackwardOnCuda<T, TC> conv(b);
    conv.run(ddst_there.data(), weights_there.data(), residual_there.data(), at_there.data(), dsrc_there.data(),
             setting);
    cuda_finish();
    dsrc_there.copy_to(dsrc.data());
  }

  void operator()(const ConvUpdateBlocking& b, const std::vector<T>& src, const std::vector<T>& ddst,
                  std::vector<TC>& dweights, std::vector<TC>& dbias) const {
    const CudaMemory<T> src_there(src), ddst_there(ddst);
    const CudaMemory<TC> dweights_there(dweights), dbias_there(dbias);
    const ConvUpdateOnCuda<T, TC> conv(b);
    conv.run(src_there.data(), ddst_there.data(), dweights_there.data(), dbias_there.data(), Gradients::overwrite,
             setting);
    cuda_finish();
    dweights_there.copy_to(dweights.data());
    dbias_there.copy_to(dbias.data());
  }
};

using ConvOnCuda = OnCudaSettings;

template <class T>
void expect_forward_exact(const CudaSetting& setting) {
  for (const char* text : kForwardOnGpu) {
    const auto p = parse_problem<ConvProblem>(text);
    const TestData t = conv_forward_test_data(p);
    ConvPlan plan = plan_conv_forward_on_gpu(p, {.brick = setting.brick});
    for (const char* loops : {"", "{n kb oj} oi cb:3", "cb:2 {n kb oj oi}", "n kb oj oi cb"}) {
      // bf16 has only the rule's loops: others would round partial sums to bf16.
      if (*loops != '\0' && sizeof(T) == 2) continue;
      if (*loops != '\0') plan.loops = parse_loop_schedule(loops);
      EXPECT_EQ((wrong_forward<T, T>(p, plan, t, OnCuda<T, T>{setting})), "") << text << "  " << to_string(plan);
    }
  }
}

TEST_P(ConvOnCuda, ForwardIsExact) {
  if (takes_bf16(GetParam())) expect_forward_exact<bf16>(GetParam());
  if (!takes_f32(GetParam())) return;
  expect_forward_exact<float>(GetParam());
}

TEST_P(ConvOnCuda, BackwardDataIsExact) {
  for (const char* text : kTrainingOnGpu) {
    for (const char* epilogue : {"", " residual+drelu"}) {
      const auto p = parse_problem<ConvProblem>(std::string(text) + epilogue);
      const TestData t = make_checkable_test_data<ConvBackwardDataOp>(p, Fill::integers);
      const ConvPlan plan = plan_conv_backward_on_gpu(p, {.brick = GetParam().brick});
      if (takes_f32(GetParam())) {
        EXPECT_EQ((wrong_backward<float, float>(p, plan, t, OnCuda<float, float>{GetParam()})), "") << text << epilogue;
      }
      if (!takes_bf16(GetParam())) continue;
      EXPECT_EQ((wrong_backward<bf16, bf16>(p, plan, t, OnCuda<bf16, bf16>{GetParam()})), "") << text << epilogue;
    }
  }
}

TEST_P(ConvOnCuda, WeightUpdateIsExact) {
  for (const char* text : kTrainingOnGpu) {
    for (const char* epilogue : {"", " bias"}) {
      const auto p = parse_problem<ConvProblem>(std::string(text) + epilogue);
      const TestData t = make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers);
      const ConvUpdatePlan plan = plan_conv_update_on_gpu(p, {.brick = GetParam().brick});
      if (takes_f32(GetParam())) {
        EXPECT_EQ((wrong_update<float, float>(p, plan, t, OnCuda<float, float>{GetParam()})), "") << text << epilogue;
      }
      if (!takes_bf16(GetParam())) continue;
      EXPECT_EQ((wrong_update<bf16, float>(p, plan, t, OnCuda<bf16, float>{GetParam()})), "") << text << epilogue;
    }
  }
}

TEST_P(ConvOnCuda, AWrongConvolutionIsSeen) {
  const auto p = parse_problem<ConvProblem>("N2 C12 K20 H6 R3 ph1 bias");
  ConvProblem other = p;
  other.epilogue = {.activation = Activation::relu};
  const TestData t = conv_forward_test_data(p);
  const ConvPlan plan = plan_conv_forward_on_gpu(p);
  EXPECT_NE(takes_bf16(GetParam()) ? (wrong_forward<bf16, bf16>(other, plan, t, OnCuda<bf16, bf16>{GetParam()}))
                                   : (wrong_forward<float, float>(other, plan, t, OnCuda<float, float>{GetParam()})),
            "");
}

INSTANTIATE_TEST_SUITE_P(Setting, ConvOnCuda, testing::ValuesIn(cuda_settings()), name_of_cuda_setting);

// On every machine the reason is a text of one line, not an exception.
TEST(CudaSetting, SaysWhyItCannotRun) {
  EXPECT_NE(cuda_absent_reason(CudaPath::kokkos, CudaBrick::multiply_adds), "");
  for (const CudaBrick brick : {CudaBrick::portable, CudaBrick::staged, CudaBrick::multiply_adds,
                                CudaBrick::tensor_cores, CudaBrick::warpgroups}) {
    const std::string reason = cuda_absent_reason(CudaPath::launcher, brick);
    EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
  }
}

}  // namespace
}  // namespace brickwork
