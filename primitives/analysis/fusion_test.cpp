#include "primitives/analysis/fusion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

using testing::HasSubstr;

constexpr int kRows = 0, kOutput = 2;  // the axis m, the tensor C

// C[m][n] += A[m][k] * B[k][n] of 64 x 32 x 16 elements, in calls of 8 x 4 x 4.
NestTouches small_matmul(LoopKind sum = LoopKind::reduction) {
  return {.loops = {{"m", 8}, {"n", 8}, {"k", 4, sum}},
          .axes = {{"m", 64, 0, 8}, {"n", 32, 1, 4}, {"k", 16, 2, 4}},
          .tensors = {{"A", Touch::read, {{{{0}}, 0, 64}, {{{2}}, 0, 16}}},
                      {"B", Touch::read, {{{{2}}, 0, 16}, {{{1}}, 0, 32}}},
                      {"C", Touch::reduce, {{{{0}}, 0, 64}, {{{1}}, 0, 32}}}}};
}

ScheduledNest nest_in_order(const char* loops, LoopKind sum = LoopKind::reduction) {
  return *scheduled(small_matmul(sum), parse_loop_schedule(loops));
}

// A call touches 128 + 64 + 128 bytes, the nest 4096 + 2048 + 8192.
const CacheHierarchy kSmallCaches{.bytes = {400, 8000, 1 << 20}};

TEST(Fusion, AnElementWiseConsumerRunsAfterTheLastSum) {
  for (const char* loops : {"m n k", "k m n", "{m} k n"}) {
    const Fusion fusion = fuse_element_wise(nest_in_order(loops), kOutput, kSmallCaches);
    EXPECT_EQ(fusion.refusal, "") << loops;
    EXPECT_EQ(fusion.when, "after the last iteration of k") << loops;
    EXPECT_EQ(fusion.block_bytes, 4 * 8 * 4) << loops;
    EXPECT_EQ(fusion.all_bytes, 4 * 64 * 32) << loops;
    EXPECT_EQ(fusion.fused, CachePlace::l1) << loops;
    EXPECT_EQ(fusion.apart, CachePlace::l3) << loops;
  }
}

TEST(Fusion, CopiesOfAnOutputAreFinalAfterTheNest) {
  const Fusion fusion =
      fuse_element_wise(nest_in_order("{k} m n", LoopKind::reduction_in_copies), kOutput, kSmallCaches);
  EXPECT_THAT(fusion.refusal, HasSubstr("several threads add to copies of C"));
}

TEST(Fusion, AnInputHasNoLastWrite) {
  EXPECT_EQ(fuse_element_wise(nest_in_order("m n k"), 0, kSmallCaches).refusal, "calls only read A");
}

// Scattering: neighbouring calls add to the same elements.
TEST(Fusion, OverlappingWindowsAreFinalInNoFixedCall) {
  const NestTouches scatter{.loops = {{"p", 8}},
                            .axes = {{"p", 8, 0}, {"r", 3}},
                            .tensors = {{"dsrc", Touch::reduce, {{{{0}, {1}}, 0, 10}}}}};
  EXPECT_THAT(fuse_element_wise(*scheduled(scatter, parse_loop_schedule("p")), 0, kSmallCaches).refusal,
              HasSubstr("overlapping windows of dsrc"));
}

// A block of 8 rows touches 512 + 2048 + 1024 bytes.
TEST(Fusion, ARowWiseConsumerNeedsRowsOutside) {
  const Fusion rows_outside = fuse_row_wise(nest_in_order("m n k"), kOutput, kRows, kSmallCaches);
  EXPECT_EQ(rows_outside.refusal, "");
  EXPECT_EQ(rows_outside.when, "after each iteration of m");
  EXPECT_EQ(rows_outside.block_bytes, 4 * 8 * 32);
  EXPECT_EQ(rows_outside.fused, CachePlace::l2);
  EXPECT_EQ(fuse_row_wise(nest_in_order("m:4 m n k"), kOutput, kRows, kSmallCaches).block_bytes, 4 * 8 * 32);
  EXPECT_THAT(fuse_row_wise(nest_in_order("n m k"), kOutput, kRows, kSmallCaches).refusal,
              HasSubstr("n is outside the rows"));
  EXPECT_THAT(fuse_row_wise(nest_in_order("k m n"), kOutput, kRows, kSmallCaches).refusal,
              HasSubstr("k is outside the rows"));
}

}  // namespace
}  // namespace brickwork
