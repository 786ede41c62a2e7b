#include "primitives/sgd/op/sgd_op.hpp"

#include <gtest/gtest.h>

#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

TEST(SgdOp, IsPyTorchsForm) {
  const auto p = parse_problem<SgdProblem>("P1");
  PlainTensors in(with_dtype(SgdOp::inputs(p), DType::f64)), out(with_dtype(SgdOp::outputs(p), DType::f64));
  *in.at<double>("weights") = 2;
  *in.at<double>("velocity") = 10;
  *in.at<double>("gradient") = 3;
  SgdOp::reference(p, in, out);
  EXPECT_NEAR(*out.at<double>("new_velocity"), 0.9 * 10 + 3 + 1e-4 * 2, 1e-6);
  EXPECT_NEAR(*out.at<double>("new_weights"), 2 - 0.1 * (0.9 * 10 + 3 + 1e-4 * 2), 1e-6);
}

TEST(SgdOp, MovesFiveTensors) {
  const auto p = parse_problem<SgdProblem>("P7");
  EXPECT_EQ(bytes_of<SgdOp>(p), 5 * 7 * 4);
  EXPECT_EQ(SgdOp::flops(p), 6 * 7);
  EXPECT_TRUE(bandwidth_bound<SgdOp>());
}

TEST(SgdProblem, TextFormRoundTripsAndWrongTextIsRefused) {
  EXPECT_EQ(to_string(parse_problem<SgdProblem>("P25557032")), "P25557032");
  EXPECT_EQ(error_of<SgdProblem>("P0"), "P is 0: it must be from 1 to 2^40");
}

}  // namespace
}  // namespace brickwork
