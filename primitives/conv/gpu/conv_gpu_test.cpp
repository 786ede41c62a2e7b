// The device's plans, layouts and bodies of convolution on the host: with the portable bricks and teams, and with the
// bricks of blocks of warps, whose instructions are emulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "primitives/bricks/tile_brick.hpp"
#include "primitives/conv/gpu/conv_gpu_plan.hpp"
#include "primitives/conv/testing/conv_on_host_warps.hpp"
#include "primitives/conv/testing/conv_pass_check.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

// Runs the passes of conv_drivers_on_cuda.hpp on the host with any brick; portable bricks with teams of `threads`.
template <class T, class TC>
struct OnHost {
  CudaBrick brick;
  int threads = 1;

  template <class Pass>
  void run(const Pass& pass) const {
    if (brick >= CudaBrick::multiply_adds) return conv_on_host_warps(brick, pass);
    pass(Kokkos::DefaultHostExecutionSpace(), TeamBrick<T, TC>{pass.shape, brick == CudaBrick::staged}, threads);
  }

  void operator()(const ConvForwardBlocking& b, const std::vector<T>& src, const std::vector<T>& weights,
                  const std::vector<float>& bias, const std::vector<TC>& residual, std::vector<TC>& dst) const {
    run(b.pass(b.data(src.data(), weights.data(), bias.data(), residual.data(), dst.data())));
  }

  void operator()(const ConvBackwardBlocking& b, const std::vector<T>& ddst, const std::vector<T>& weights,
                  const std::vector<TC>& residual, const std::vector<TC>& at, std::vector<TC>& dsrc) const {
    for (std::size_t i = 0; i < b.phases().size(); ++i) {
      run(ConvBackwardOnGpuPass<T, TC>{
          b.pass(i, ddst.data(), weights.data(), residual.data(), at.data(), dsrc.data())});
    }
  }

  void operator()(const ConvUpdateBlocking& b, const std::vector<T>& src, const std::vector<T>& ddst,
                  std::vector<TC>& dweights, std::vector<TC>& dbias) const {
    const auto others = [&](std::size_t size) {
      return nans<TC>((b.nest().copies() - 1) * static_cast<std::int64_t>(size));
    };
    std::vector<TC> copies = others(dweights.size()), bias_copies = others(dbias.size());
    const T* const ones = nullptr;  // SumsOfColumns does not read them
    run(b.pass(b.data(src.data(), ddst.data(), dweights.data(), copies.data(), dbias.data(), bias_copies.data(),
                      Gradients::overwrite, ones)));
  }
};

template <class T>
void expect_exact_on_host(CudaBrick brick) {
  const OnHost<T, T> run{brick};
  const OnHost<T, float> update{brick};
  for (const char* text : kForwardOnGpu) {
    const auto p = parse_problem<ConvProblem>(text);
    const ConvPlan plan = plan_conv_forward_on_gpu(p);
    EXPECT_EQ((wrong_forward<T, T>(p, plan, conv_forward_test_data(p), run)), "") << text << "  " << to_string(plan);
  }
  for (const char* epilogue : {"", " residual+drelu"}) {
    for (const char* text : kTrainingOnGpu) {
      const auto p = parse_problem<ConvProblem>(std::string(text) + epilogue);
      const ConvPlan plan = plan_conv_backward_on_gpu(p);
      const TestData t = make_checkable_test_data<ConvBackwardDataOp>(p, Fill::integers);
      EXPECT_EQ((wrong_backward<T, T>(p, plan, t, run)), "") << text << epilogue << "  " << to_string(plan);
    }
  }
  for (const char* epilogue : {"", " bias"}) {
    for (const char* text : kTrainingOnGpu) {
      const auto p = parse_problem<ConvProblem>(std::string(text) + epilogue);
      const TestData t = make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers);
      for (const std::int64_t multiprocessors : {1, 132}) {
        const ConvUpdatePlan plan = plan_conv_update_on_gpu(p, {.multiprocessors = multiprocessors});
        EXPECT_EQ((wrong_update<T, float>(p, plan, t, update)), "") << text << epilogue << "  " << to_string(plan);
      }
    }
  }
}

TEST(ConvAsOnGpu, IsExactOnTensorCoresInBf16) { expect_exact_on_host<bf16>(CudaBrick::tensor_cores); }
TEST(ConvAsOnGpu, IsExactOnTensorCoresInTf32) { expect_exact_on_host<float>(CudaBrick::tensor_cores); }
TEST(ConvAsOnGpu, IsExactWithMultiplyAdds) { expect_exact_on_host<float>(CudaBrick::multiply_adds); }

TEST(ConvAsOnGpu, IsExactWithPortableBricks) {
  expect_exact_on_host<float>(CudaBrick::staged);
  expect_exact_on_host<bf16>(CudaBrick::portable);
}

// Only few problems, as barriers are slow for threads that share cores with other tests.
TEST(ConvAsOnGpu, IsExactWithTeamsOfThreads) {
  const int threads = std::min(Kokkos::DefaultHostExecutionSpace().concurrency(), 3);
  const auto p = parse_problem<ConvProblem>("N2 C12 K20 H6 R3 sh2 ph1");
  EXPECT_EQ((wrong_backward<float, float>(p, plan_conv_backward_on_gpu(p),
                                          make_checkable_test_data<ConvBackwardDataOp>(p, Fill::integers),
                                          OnHost<float, float>{CudaBrick::staged, threads})),
            "");
  ConvProblem with_bias = p;
  with_bias.epilogue.bias = true;
  EXPECT_EQ((wrong_update<bf16, float>(with_bias, plan_conv_update_on_gpu(with_bias),
                                       make_checkable_test_data<ConvWeightUpdateOp>(with_bias, Fill::integers),
                                       OnHost<bf16, float>{CudaBrick::staged, threads})),
            "");
}

TEST(ConvAsOnGpu, AWrongPassIsSeen) {
  const auto p = parse_problem<ConvProblem>("N2 C12 K20 H6 R3 ph1 bias");
  ConvProblem other = p;
  other.epilogue = {.activation = Activation::relu};
  const OnHost<bf16, bf16> run{CudaBrick::tensor_cores};
  EXPECT_NE((wrong_forward<bf16, bf16>(other, plan_conv_forward_on_gpu(p), conv_forward_test_data(p), run)), "");
  const auto nothing = [](const auto&...) {};
  EXPECT_NE((wrong_forward<bf16, bf16>(p, plan_conv_forward_on_gpu(p), conv_forward_test_data(p), nothing)), "");
  ConvProblem q = p;
  q.epilogue = {};
  EXPECT_NE((wrong_backward<bf16, bf16>(q, plan_conv_backward_on_gpu(q),
                                        make_checkable_test_data<ConvBackwardDataOp>(q, Fill::integers), nothing)),
            "");
  EXPECT_NE((wrong_update<bf16, float>(p, plan_conv_update_on_gpu(p),
                                       make_checkable_test_data<ConvWeightUpdateOp>(p, Fill::integers), nothing)),
            "");
}

// ResNet-50's layers have calls as large as a block's tile, and tasks for every multiprocessor.
TEST(GpuPlan, FillsTilesAndMultiprocessors) {
  const auto plan_of = [](const char* text) {
    return to_string(plan_conv_forward_on_gpu(parse_problem<ConvProblem>(text)));
  };
  EXPECT_THAT(plan_of("N28 C64 K256 H56"), HasSubstr("bc=64 bk=128 bq=128 joined"));
  EXPECT_THAT(plan_of("N28 C64 K64 H56 R3 ph1"), HasSubstr("bc=64 bk=64 bq=128 joined"));
  EXPECT_THAT(plan_of("N28 C3 K64 H224 R7 sh2 ph3"), HasSubstr("bc=3 bk=64 bq=128 joined taps=k"));
  const auto of_warpgroups = [](const char* text) {
    return to_string(plan_conv_forward_on_gpu(parse_problem<ConvProblem>(text), {.brick = CudaBrick::warpgroups}));
  };
  EXPECT_THAT(of_warpgroups("N256 C256 K1024 H14"), HasSubstr("bk=256"));
  EXPECT_THAT(of_warpgroups("N28 C512 K512 H7 R3 ph1"), HasSubstr("bk=64"));  // bk=256 gives 22 tiles for 132 SMs
  EXPECT_THAT(to_string(plan_conv_forward_on_gpu(parse_problem<ConvProblem>("N28 C512 K512 H7 R3 ph1"),
                                                 {.brick = CudaBrick::staged})),
              HasSubstr("bk=128"));
  const auto of_multiply_adds = [](const char* text) {
    return to_string(plan_conv_forward_on_gpu(parse_problem<ConvProblem>(text), {.brick = CudaBrick::multiply_adds}));
  };
  EXPECT_THAT(of_multiply_adds("N1 C4096 K4096 H1 W4096"), HasSubstr("bk=128 bq=128"));
  EXPECT_THAT(of_multiply_adds("N1 C1024 K1024 H1 W1344"), HasSubstr("bk=128 bq=96"));  // 112 tiles; bq=128 gives 88
  EXPECT_THAT(of_multiply_adds("N28 C512 K256 H28 sw2 sh2"), HasSubstr("bk=128 bq=96"));
  EXPECT_THAT(of_multiply_adds("N1 C4096 K4096 H1 W200"), HasSubstr("bk=64 bq=64"));   // 256 tiles, not 96 or 64
  EXPECT_THAT(of_multiply_adds("N28 C512 K512 H7 R3 ph1"), HasSubstr("bk=64 bq=32"));  // 344 tiles, not 44 or 176
  for (const char* text :
       {"N28 C64 K64 H56", "N256 C64 K256 H56", "N28 C512 K512 H7 R3 ph1", "N1 C4096 K4096 H1 W4096"}) {
    const auto p = parse_problem<ConvProblem>(text);
    const auto blocking = ConvUpdateBlocking::make(p, plan_conv_update_on_gpu(p));
    ASSERT_TRUE(blocking) << blocking.reason();
    EXPECT_GE(blocking->nest().tasks(), std::min<std::int64_t>(132, p.N * blocking->geometry().Kb)) << text;
  }
}

}  // namespace
}  // namespace brickwork
