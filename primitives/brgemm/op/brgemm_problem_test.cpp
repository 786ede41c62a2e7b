#include "primitives/brgemm/op/brgemm_problem.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "primitives/brgemm/op/brgemm_op.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

TEST(BrgemmProblem, TextFormRoundTrips) {
  const BrgemmProblem p = parse_problem<BrgemmProblem>("k64 batch16 m28, n48");
  EXPECT_EQ(to_string(p), "m28_n48_k64_batch16");
  EXPECT_EQ(parse_problem<BrgemmProblem>(to_string(p)), p);
  EXPECT_EQ(parse_problem<BrgemmProblem>("m1 n2 k3").batch, 1);
}

TEST(BrgemmProblem, ShapeHasContiguousBlocks) {
  const BrgemmShape s = parse_problem<BrgemmProblem>("m28 n48 k64 batch16").shape();
  const BrgemmShape expected{.m = 28,
                             .n = 48,
                             .k = 64,
                             .lda = 64,
                             .ldb = 48,
                             .ldc = 48,
                             .beta = 0,
                             .batch_kind = BatchKind::strides,
                             .stride_a = 28 * 64,
                             .stride_b = 64 * 48};
  EXPECT_EQ(s, expected);
}

TEST(BrgemmProblem, CountsFlopsAndBytes) {
  const BrgemmProblem p = parse_problem<BrgemmProblem>("m2 n3 k5 batch7");
  EXPECT_EQ(BrgemmOp::flops(p), 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(bytes_of<BrgemmOp>(p), 4.0 * (7 * 2 * 5 + 7 * 5 * 3 + 2 * 3));
}

TEST(BrgemmProblem, WrongTextIsRefusedInOneSentence) {
  EXPECT_EQ(error_of<BrgemmProblem>("m4 n4"), "'m4 n4' lacks k: add a word such as k64");
  EXPECT_NE(error_of<BrgemmProblem>("m4 n4 k4 b2").find("'b2' is no size: expected one of the keys m n k batch"),
            std::string::npos);
  EXPECT_EQ(error_of<BrgemmProblem>("m4 n4 k4 k5"), "'k5' gives k a second time after 'k4': give it once");
  EXPECT_EQ(error_of<BrgemmProblem>("m0 n4 k4"), "m is 0: it must be from 1 to 2^20");
  EXPECT_EQ(error_of<BrgemmProblem>("m4 n4 k4 batch1048577"), "batch is 1048577: it must be from 1 to 2^20");
  EXPECT_EQ(error_of<BrgemmProblem>("m1048576 n1 k2048"), "A has 2147483648 elements: at most 2^30 are allowed");
  EXPECT_EQ(error_of<BrgemmProblem>("m1048576 n1048576 k1048576 batch1048576"),
            "A has 1152921504606846976 elements: at most 2^30 are allowed");
}

}  // namespace
}  // namespace brickwork
