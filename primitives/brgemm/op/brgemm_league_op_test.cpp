#include "primitives/brgemm/op/brgemm_league_op.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "primitives/op/testing/definition.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

TEST(BrgemmLeagueOp, EachTaskMultipliesTheSameB) {
  const auto p = parse_problem<BrgemmLeagueProblem>("tasks2 m1 n2 k1 batch2");
  const Values a{1, 2, 3, 4}, b{1, 10, 100, 1000};
  EXPECT_EQ(by_definition<BrgemmLeagueOp>(p, {a, b}), (Values{201, 2010, 403, 4030}));
}

// A sum in f32 would lose the 1.
TEST(BrgemmLeagueOp, AccumulatesInDouble) {
  const auto p = parse_problem<BrgemmLeagueProblem>("m1 n1 k3");
  EXPECT_EQ(by_definition<BrgemmLeagueOp>(p, {{1e8, 1, -1e8}, {1, 1, 1}}), (Values{1}));
}

TEST(BrgemmLeagueProblem, TextFormRoundTripsAndCounts) {
  const auto p = parse_problem<BrgemmLeagueProblem>("tasks5 m2 n3 k4 batch6");
  EXPECT_EQ(to_string(p), "tasks5_m2_n3_k4_batch6");
  EXPECT_EQ(parse_problem<BrgemmLeagueProblem>(to_string(p)), p);
  EXPECT_EQ(parse_problem<BrgemmLeagueProblem>("m1 n2 k3").tasks, 1);
  EXPECT_EQ(p.call(), parse_problem<BrgemmProblem>("m2 n3 k4 batch6"));
  EXPECT_EQ(BrgemmLeagueOp::flops(p), 2.0 * 5 * 2 * 3 * 4 * 6);
  EXPECT_EQ(bytes_of<BrgemmLeagueOp>(p), 4.0 * (5 * 2 * 24 + 24 * 3 + 5 * 2 * 3));
}

TEST(BrgemmLeagueProblem, WrongTextIsRefusedInOneSentence) {
  EXPECT_EQ(error_of<BrgemmLeagueProblem>("tasks0 m4 n4 k4"), "tasks is 0: it must be from 1 to 2^20");
  EXPECT_EQ(error_of<BrgemmLeagueProblem>("m1048576 n1 k2048"), "A has 2147483648 elements: at most 2^30 are allowed");
  EXPECT_NE(error_of<BrgemmLeagueProblem>("tasks1048576 m1048576 n1 k512").find("at most 2^40"), std::string::npos);
}

}  // namespace
}  // namespace brickwork
