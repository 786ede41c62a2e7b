#include "baselines/fc_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

constexpr const char* kFcProblems[] = {
    "N1 C1 K1",         //
    "N1 C256 K512",     // one image
    "N2 C64 K64",       //
    "N7 C5 K3",         // odd, and smaller than a block
    "N33 C70 K129",     // blocks of 35 and 43
    "N65 C1031 K1033",  // primes above a block: blocks of one
    "N67 C16 K1000",    //
    "N192 C128 K320",   // several blocks of each
    "N1024 C33 K17",    // more images than distinct ones
};

FcProblem random_fc() {
  const auto size = [] {
    const bool even = *rc::gen::arbitrary<bool>();
    return even ? 16 * *rc::gen::inRange<std::int64_t>(1, 13) : *rc::gen::inRange<std::int64_t>(1, 150);
  };
  return {.N = size(), .C = size(), .K = size()};
}

template <Operation Op>
struct FcBaselines;
template <>
struct FcBaselines<FcForwardOp> {
  static std::vector<Contender<FcForwardOp>> all() {
    return {onednn_fc_forward(), libxsmm_dnn_fc_forward(), openblas_fc_forward()};
  }
};
template <>
struct FcBaselines<FcBackwardDataOp> {
  static std::vector<Contender<FcBackwardDataOp>> all() {
    return {onednn_fc_backward_data(), libxsmm_dnn_fc_backward_data(), openblas_fc_backward_data()};
  }
};
template <>
struct FcBaselines<FcWeightUpdateOp> {
  static std::vector<Contender<FcWeightUpdateOp>> all() {
    return {onednn_fc_weight_update(), libxsmm_dnn_fc_weight_update(), openblas_fc_weight_update()};
  }
};

template <class Op>
class FcBaseline : public testing::Test {
 protected:
  const std::vector<Contender<Op>> contenders = present<Op>(FcBaselines<Op>::all());
};
using FcBaselinePasses = testing::Types<FcForwardOp, FcBackwardDataOp, FcWeightUpdateOp>;
TYPED_TEST_SUITE(FcBaseline, FcBaselinePasses);

TYPED_TEST(FcBaseline, IsExact) {
  for (const auto& contender : this->contenders) expect_exact_on(contender, kFcProblems, Refusal::wrong);
}

TYPED_TEST(FcBaseline, IsExactOnRandomProblems) {
  for (const auto& contender : this->contenders) expect_exact_on_random_problems(contender, random_fc);
}

TYPED_TEST(FcBaseline, SaysWhatItIs) {
  for (const auto& contender : this->contenders) expect_says_what_it_is(contender, "C16 K16");
}

TYPED_TEST(FcBaseline, IsExactInTrainingWithAnEpilogueOrRefusesIt) {
  if constexpr (!std::is_same_v<TypeParam, FcForwardOp>) {
    const bool update = std::is_same_v<TypeParam, FcWeightUpdateOp>;
    const auto p = parse_problem<FcProblem>(update ? "N65 C16 K32 bias" : "N65 C16 K32 residual+drelu");
    const TestData data = make_checkable_test_data<TypeParam>(p, Fill::integers);
    for (const auto& contender : this->contenders) {
      if (update && contender.library.name == "oneDNN") {
        EXPECT_TRUE(is_exact(contender, p, data, 2));
      } else {
        EXPECT_THAT(verdict_on(contender, p, data, 2).reason, testing::HasSubstr("epilogue must be none"));
      }
    }
  }
}

TEST(FcBaselineForward, IsExactWithEveryEpilogueOrRefusesIt) {
  for (const auto& contender : present<FcForwardOp>(FcBaselines<FcForwardOp>::all())) {
    for (const char* epilogue :
         {"bias", "residual", "relu", "bias+relu", "bias+residual", "residual+relu", "bias+residual+relu"}) {
      for (const char* sizes : {"N2 C16 K32 ", "N65 C5 K7 ", "N128 C128 K192 "}) {
        const auto p = parse_problem<FcProblem>(std::string(sizes) + epilogue);
        const TestData data = make_checkable_test_data<FcForwardOp>(p, Fill::integers);
        const Verdict verdict = verdict_on(contender, p, data, 2);
        if (verdict.status == Status::unsupported) {
          EXPECT_EQ(contender.library.name, "LIBXSMM");
          EXPECT_TRUE(p.epilogue.residual);
          EXPECT_THAT(verdict.reason, testing::HasSubstr("fuses no residual"));
        } else {
          EXPECT_TRUE(is_exact(contender, p, data, 2));
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
