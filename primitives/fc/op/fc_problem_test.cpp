#include "primitives/fc/op/fc_problem.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

#include "primitives/fc/op/fc_ops.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

TEST(FcProblem, TextFormRoundTrips) {
  EXPECT_EQ(to_string(parse_problem<FcProblem>("K5, C3")), "N1_C3_K5");
  EXPECT_EQ(to_string(parse_problem<FcProblem>("N2_C3_K5 bias+relu")), "N2_C3_K5_bias+relu");
  EXPECT_TRUE(rc::check([] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    FcProblem p{.N = in(1, 5000), .C = in(1, 5000), .K = in(1, 5000)};
    p.epilogue = {.bias = *rc::gen::arbitrary<bool>(),
                  .residual = *rc::gen::arbitrary<bool>(),
                  .activation = *rc::gen::element(Activation::none, Activation::relu, Activation::gelu)};
    RC_ASSERT(parse_problem<FcProblem>(to_string(p)) == p);
  }));
}

TEST(FcProblem, CountsFlopsAndBytes) {
  const auto p = parse_problem<FcProblem>("N7 C3 K5");
  EXPECT_EQ(FcForwardOp::flops(p), 2.0 * 7 * 3 * 5);
  EXPECT_EQ(least_flops<FcForwardOp>(p), 2.0 * 7 * 3 * 5);
  EXPECT_EQ(bytes_of<FcForwardOp>(p), 4.0 * (7 * 3 + 5 * 3 + 7 * 5));
  EXPECT_EQ(bytes_of<FcForwardOp>(parse_problem<FcProblem>("N7 C3 K5 bias+residual")),
            4.0 * (7 * 3 + 5 * 3 + 5 + 2 * 7 * 5));
  EXPECT_EQ(bytes_of<FcBackwardDataOp>(p), bytes_of<FcForwardOp>(p));
  EXPECT_EQ(bytes_of<FcWeightUpdateOp>(p), bytes_of<FcForwardOp>(p));
}

TEST(FcProblem, WrongTextIsRefusedInOneSentence) {
  EXPECT_EQ(error_of<FcProblem>("C3"), "'C3' lacks K: add a word such as K64");
  EXPECT_NE(error_of<FcProblem>("C3 K5 H2").find("'H2' is no size and no other word: expected one of the keys N C K"),
            std::string::npos);
  EXPECT_EQ(error_of<FcProblem>("N0 C3 K5"), "N is 0: it must be from 1 to 2^40");
  EXPECT_EQ(error_of<FcProblem>("C1048576 K1048576"), "");
  EXPECT_EQ(error_of<FcProblem>("C1048576 K1048577"),
            "weights has 1048577 * 1048576 elements: at most 2^40 are allowed");
  EXPECT_EQ(error_of<FcProblem>("N1048577 C1048576 K1"),
            "src has 1048577 * 1048576 elements: at most 2^40 are allowed");
  EXPECT_EQ(error_of<FcProblem>("N1048577 C1 K1048576"),
            "dst has 1048577 * 1048576 elements: at most 2^40 are allowed");
  FcProblem p = parse_problem<FcProblem>("C1 K1");
  p.count = 0;
  EXPECT_THROW(p.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
