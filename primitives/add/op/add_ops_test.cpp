#include "primitives/add/op/add_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

template <class Op>
std::vector<double> result_of(const char* problem, const std::vector<double>& first,
                              const std::vector<double>& second) {
  const auto p = parse_problem<AddProblem>(problem);
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  std::ranges::copy(first, in.values<double>(0).begin());
  std::ranges::copy(second, in.values<double>(1).begin());
  std::ranges::fill(out.values<double>(0), 7);
  Op::reference(p, in, out);
  const auto values = out.values<double>(0);
  return {values.begin(), values.end()};
}

TEST(AddOps, ForwardAddsAndCutsOffNegativeSums) {
  EXPECT_THAT(result_of<AddForwardOp>("N2 E2", {1, 2, 3, -4}, {10, -20, -3, 8}), testing::ElementsAre(11, 0, 0, 4));
  EXPECT_THAT(result_of<AddForwardOp>("N2 E2 none", {1, 2, 3, -4}, {10, -20, -3, 8}),
              testing::ElementsAre(11, -18, 0, 4));
}

TEST(AddOps, BackwardIsZeroWhereForwardWasCutOff) {
  EXPECT_THAT(result_of<AddBackwardOp>("E4", {1, 0, -2, 4}, {10, 20, 30, -40}), testing::ElementsAre(10, 0, 0, -40));
}

TEST(AddOps, MoveThreeTensors) {
  const auto p = parse_problem<AddProblem>("N3 E5");
  EXPECT_EQ(bytes_of<AddForwardOp>(p), 3 * 3 * 5 * 4);
  EXPECT_EQ(bytes_of<AddBackwardOp>(p), 3 * 3 * 5 * 4);
  EXPECT_EQ(bytes_written<AddForwardOp>(p), 3 * 5 * 4);
  EXPECT_EQ(AddForwardOp::flops(p), 3 * 5);
  EXPECT_TRUE(bandwidth_bound<AddForwardOp>() && bandwidth_bound<AddBackwardOp>());
}

TEST(AddProblem, TextFormRoundTrips) {
  const auto p = parse_problem<AddProblem>("E802816 none N28");
  EXPECT_EQ(to_string(p), "N28_E802816_none");
  EXPECT_EQ(parse_problem<AddProblem>(to_string(p)), p);
  EXPECT_EQ(to_string(parse_problem<AddProblem>("E5 relu")), "N1_E5");
}

TEST(AddProblem, WrongTextIsRefusedInOneSentence) {
  EXPECT_EQ(error_of<AddProblem>("N4"), "'N4' lacks E: add a word such as E64");
  EXPECT_EQ(error_of<AddProblem>("E0"), "E is 0: it must be from 1 to 2^30");
  EXPECT_NE(error_of<AddProblem>("E4 bias").find("an epilogue: relu or none"), std::string::npos);
}

TEST(AddProblem, WithoutAReluHasNoBackwardPass) {
  EXPECT_NO_THROW(check_taken<AddForwardOp>(parse_problem<AddProblem>("E4 none")));
  EXPECT_THROW(check_taken<AddBackwardOp>(parse_problem<AddProblem>("E4 none")), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
