// The baselines of convolution's two training passes.
#include <gtest/gtest.h>

#include "baselines/conv_baselines.hpp"
#include "baselines/testing/conv_exact.hpp"

namespace brickwork {
namespace {

// In addition to the problems of every pass: strides and odd sizes for which LIBXSMM has special loops in these passes.
constexpr const char* kTrainingProblems[] = {
    "N2 C64 K64 H8 R3 ph1",         // blocks of 64 x 64
    "N4 C16 K16 H7 R3 ph1",         //
    "N3 C32 K16 H7 R3 ph1",         // as many images as threads
    "N2 C16 K32 H9 R3 ph2",         // output larger than input
    "N2 C16 K32 H9 W28 R1 S3 pw1",  // a filter of one row
    "N2 C16 K32 H28 W9 R3 S1 ph1",  // a filter of one column
    "N2 C16 K2048 H14 sh2",         //
    "N2 C32 K512 H14 sh2",          //
    "N2 C16 K16 H30 W56 R3 ph1",    // long rows
    "N2 C16 K16 H20 W60",           //
    "N2 C16 K16 H31 W30 R3 ph1",    // many rows
    "N2 C16 K16 H8 R1 ph1",         // padding around a single tap
    "N2 C16 K8 H9 R3 sh3",          //
    "N9 C16 K16 H9 R3 ph1",         // more images than distinct ones
};

template <Operation Op>
Refusal refusal_of(const Contender<Op>& contender) {
  return contender.library.name == "LIBXSMM" ? Refusal::allowed : Refusal::wrong;
}

class ConvBackwardDataBaseline : public testing::TestWithParam<Contender<ConvBackwardDataOp>> {
 protected:
  const Contender<ConvBackwardDataOp>& contender = GetParam();
};

TEST_P(ConvBackwardDataBaseline, IsExact) {
  expect_exact_on(contender, kConvProblems, Refusal::wrong);
  expect_exact_on(contender, kTrainingProblems, Refusal::wrong);
}
TEST_P(ConvBackwardDataBaseline, IsExactWithEveryEpilogueOrRefusesIt) {
  expect_exact_or_refused(contender, {"residual", "drelu", "residual+drelu", "dsigmoid", "residual+dtanh", "dgelu"});
}
TEST_P(ConvBackwardDataBaseline, IsExactOnRandomProblems) {
  expect_exact_on_random_problems(contender, random_baseline_conv);
}
TEST_P(ConvBackwardDataBaseline, SaysWhatItIs) { expect_says_what_it_is(contender, "C16 K16 H4"); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvBackwardDataBaseline);
INSTANTIATE_TEST_SUITE_P(Libraries, ConvBackwardDataBaseline,
                         testing::ValuesIn(present<ConvBackwardDataOp>({onednn_conv_backward_data(),
                                                                        libxsmm_dnn_conv_backward_data(),
                                                                        col2im_conv_backward_data()})),
                         name_in_tests<ConvBackwardDataOp>);

class ConvWeightUpdateBaseline : public testing::TestWithParam<Contender<ConvWeightUpdateOp>> {
 protected:
  const Contender<ConvWeightUpdateOp>& contender = GetParam();
};

TEST_P(ConvWeightUpdateBaseline, IsExact) {
  expect_exact_on(contender, kConvProblems, refusal_of(contender));
  expect_exact_on(contender, kTrainingProblems, refusal_of(contender));
}
TEST_P(ConvWeightUpdateBaseline, IsExactWithABiasOrRefusesIt) { expect_exact_or_refused(contender, {"bias"}); }
TEST_P(ConvWeightUpdateBaseline, IsExactOnRandomProblems) {
  expect_exact_on_random_problems(contender, random_baseline_conv);
}
TEST_P(ConvWeightUpdateBaseline, SaysWhatItIs) { expect_says_what_it_is(contender, "C16 K16 H4"); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvWeightUpdateBaseline);
INSTANTIATE_TEST_SUITE_P(Libraries, ConvWeightUpdateBaseline,
                         testing::ValuesIn(present<ConvWeightUpdateOp>({onednn_conv_weight_update(),
                                                                        libxsmm_dnn_conv_weight_update(),
                                                                        im2col_conv_weight_update()})),
                         name_in_tests<ConvWeightUpdateOp>);

}  // namespace
}  // namespace brickwork
