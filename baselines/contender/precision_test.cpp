#include "baselines/contender/precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "baselines/contender/checker.hpp"
#include "primitives/fc/op/fc_ops.hpp"

namespace brickwork {
namespace {

constexpr const char* kLayer = "N5 C300 K7";

template <Precision kPrecision>
TestData data_in(Fill fill) {
  return make_checkable_test_data<InPrecision<FcForwardOp, kPrecision>>(parse_problem<FcProblem>(kLayer), fill);
}

bool all_are(const TestData& data, std::size_t input, Precision precision) {
  return std::ranges::all_of(data.inputs.values<float>(input),
                             [&](float value) { return rounded(value, precision) == static_cast<double>(value); });
}

TEST(Precision, InputsAreNumbersOfThePrecision) {
  for (const Fill fill : {Fill::integers, Fill::floats}) {
    for (const std::size_t input : {0U, 1U}) {
      EXPECT_TRUE(all_are(data_in<Precision::bf16>(fill), input, Precision::bf16));
      EXPECT_TRUE(all_are(data_in<Precision::tf32>(fill), input, Precision::tf32));
    }
  }
  EXPECT_FALSE(all_are(data_in<Precision::f32>(Fill::floats), 0, Precision::tf32));
  EXPECT_FALSE(all_are(data_in<Precision::tf32>(Fill::floats), 0, Precision::bf16));
}

// It computes from the rounded inputs, and rounds a bf16 output once.
TEST(Precision, TheReferenceUsesTheRoundedInputs) {
  const auto p = parse_problem<FcProblem>(kLayer);
  const TestData data = data_in<Precision::bf16>(Fill::floats);
  const auto src = data.inputs.values<float>(0), weights = data.inputs.values<float>(1);
  double sum = 0;
  for (std::int64_t c = 0; c < p.C; ++c) sum += static_cast<double>(src[c]) * static_cast<double>(weights[p.C + c]);
  EXPECT_NE(data.expected.values<double>(0)[1], sum);
  EXPECT_EQ(data.expected.values<double>(0)[1], rounded(sum, Precision::bf16));
  EXPECT_EQ(data_in<Precision::bf16>(Fill::integers).tolerance.value, 0);
}

TEST(Precision, TensorsOfBf16MoveHalfTheBytes) {
  const auto p = parse_problem<FcProblem>(kLayer);
  const double f32 = bytes_of<FcForwardOp>(p);
  EXPECT_EQ((bytes_of<InPrecision<FcForwardOp, Precision::tf32>>(p)), f32);
  EXPECT_EQ((bytes_of<InPrecision<FcForwardOp, Precision::bf16>>(p)), f32 / 2);
}

}  // namespace
}  // namespace brickwork
