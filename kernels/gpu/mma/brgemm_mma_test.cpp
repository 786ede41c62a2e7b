// The bricks of a block of warps, run on the host: the index arithmetic of the device, by the rules of its
// instructions.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kernels/gpu/mma/mma_tiles.hpp"
#include "kernels/testing/brgemm_check.hpp"
#include "kernels/testing/mma_on_host.hpp"

namespace brickwork {
namespace {

constexpr DType kTypes[] = {DType::f32, DType::bf16};

void check_mma(const BrgemmCase& test, DType ab, MmaBlock block = MmaBlock::small) {
  const Copies copies = (test.shape.m + test.shape.n) % 2 == 0 ? Copies::early : Copies::late;
  ASSERT_EQ(check_brgemm(*mma_on_host(test.shape, ab, block, copies), test), "")
      << to_string(test) << " " << to_string(ab) << (copies == Copies::early ? " early" : " late");
}

// Sizes around fragments of 8 and 16, and around blocks of 32.
TEST(MmaOnHost, IsExactForEveryTile) {
  for (const DType ab : kTypes)
    for (int m : {1, 8, 15, 16, 17, 32, 33, 70})
      for (int n : {1, 7, 8, 16, 31, 32, 33, 40})
        for (int k : {1, 7, 8, 16, 17, 32, 33, 100})
          for (bool a_transposed : {false, true})
            check_mma({.shape = padded_shape(m, n, k, (m + n + k) % 3, k % 2, BatchKind::strides, a_transposed),
                       .batch = 1 + m % 3,
                       .guard_after = n % 2 == 0},
                      ab);
}

// If all rows begin at multiples of 16 bytes, all copies are asynchronous and only the last ones are cut.
TEST(MmaOnHost, IsExactWhereRowsAreAligned) {
  for (const DType ab : kTypes)
    for (int m : {8, 24, 64})
      for (int n : {8, 32, 40})
        for (int k : {8, 32, 48, 200})
          for (bool a_transposed : {false, true})
            for (bool guard_after : {false, true})
              check_mma({.shape = padded_shape(m, n, k, 0, 0, BatchKind::strides, a_transposed),
                         .batch = 3,
                         .guard_after = guard_after},
                        ab);
}

TEST(MmaOnHost, IsExactForEveryBatch) {
  for (const DType ab : kTypes)
    for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
      for (int beta : {0, 1})
        for (std::int64_t batch : {0, 1, 2, 5, 9})
          for (int m : {15, 16}) check_mma({.shape = padded_shape(m, 24, 40, 0, beta, kind), .batch = batch}, ab);
}

// Rows overlap if the taps of a filter are merged into k.
TEST(MmaOnHost, IsExactForRowsThatOverlap) {
  for (const DType ab : kTypes)
    for (std::int64_t lda : {1, 3, 8, 16}) {
      BrgemmShape shape = padded_shape(40, 24, 36, 0, 0, BatchKind::offsets);
      shape.lda = lda;
      check_mma({.shape = shape, .batch = 2}, ab);
    }
}

TEST(MmaOnHost, IsExactForFewerRows) {
  for (const DType ab : kTypes)
    for (int rows : {0, 1, 16, 33})
      for (bool a_transposed : {false, true})
        check_mma({.shape = padded_shape(40, 19, 17, 1, 1, BatchKind::offsets, a_transposed), .batch = 2, .rows = rows},
                  ab);
}

TEST(MmaOnHost, AppliesTheEpilogueOnce) {
  for (const DType ab : kTypes)
    for (int steps = 0; steps < kNumLastSteps; ++steps)
      for (int n : {32, 43})
        check_mma({.shape = padded_shape(40, n, 21, 1, steps % 2, BatchKind::offsets),
                   .batch = 3,
                   .rows = steps % 2 == 0 ? -1 : 37,
                   .bias = (steps & 1) != 0,
                   .residual = (steps & 2) != 0,
                   .last = kLastSteps[steps]},
                  ab);
}

TEST(MmaOnHost, TheBlocksOfADeviceAreExact) {
  for (const DType ab : kTypes)
    for (MmaBlock block : {MmaBlock::narrow, MmaBlock::wide})
      for (bool a_transposed : {false, true}) {
        check_mma({.shape = padded_shape(128, 128, 64, 0, 0, BatchKind::offsets, a_transposed), .batch = 3}, ab, block);
        check_mma({.shape = padded_shape(131, 140, 71, 1, 1, BatchKind::strides, a_transposed),
                   .batch = 2,
                   .bias = true,
                   .last = kLastSteps[1]},
                  ab, block);
      }
}

// wgmma: sizes around its cores of 8 and its blocks of 64.
TEST(WgmmaOnHost, IsExactForEveryTile) {
  for (int m : {1, 8, 17, 64, 70})
    for (int n : {1, 8, 33, 64, 72})
      for (int k : {1, 8, 15, 16, 40, 100})
        for (bool a_transposed : {false, true})
          check_mma({.shape = padded_shape(m, n, k, (m + n + k) % 3, k % 2, BatchKind::strides, a_transposed),
                     .batch = 1 + m % 3,
                     .guard_after = n % 2 == 0},
                    DType::bf16, MmaBlock::small_wgmma);
}

TEST(WgmmaOnHost, IsExactWhereRowsAreAligned) {
  for (int m : {8, 24, 64})
    for (int n : {8, 32, 72})
      for (int k : {8, 16, 48, 200})
        for (bool a_transposed : {false, true})
          for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
            check_mma({.shape = padded_shape(m, n, k, 0, 0, kind, a_transposed), .batch = 3}, DType::bf16,
                      MmaBlock::small_wgmma);
}

TEST(WgmmaOnHost, TheBlocksOfADeviceAreExact) {
  for (MmaBlock block : {MmaBlock::narrow_wgmma, MmaBlock::wide_wgmma})
    for (bool a_transposed : {false, true}) {
      check_mma({.shape = padded_shape(128, 128, 64, 0, 0, BatchKind::offsets, a_transposed), .batch = 3}, DType::bf16,
                block);
      check_mma({.shape = padded_shape(131, 140, 71, 1, 1, BatchKind::strides, a_transposed),
                 .batch = 2,
                 .bias = true,
                 .last = kLastSteps[1]},
                DType::bf16, block);
    }
}

// Multiply-adds, with groups of warps that each have a share of the steps: sizes around tiles of 32 x 64, around
// transposing copies of eight steps, and around stages of 64.
TEST(FmaOnHost, IsExactForEveryTile) {
  for (int m : {1, 4, 31, 32, 33})
    for (int n : {1, 4, 31, 64, 72})
      for (int k : {1, 8, 17, 64, 100})
        for (bool a_transposed : {false, true})
          check_mma({.shape = padded_shape(m, n, k, (m + n + k) % 5, k % 2, BatchKind::strides, a_transposed),
                     .batch = 1 + m % 3,
                     .guard_after = n % 2 == 0},
                    DType::f32, MmaBlock::low_fma);
}

// If the rows of C begin at multiples of 16 bytes, C is stored in chunks, also with beta = 1 and a bias.
TEST(FmaOnHost, IsExactWhereRowsAreAligned) {
  for (int m : {8, 32, 40})
    for (int n : {32, 64, 72})
      for (int beta : {0, 1})
        for (bool bias : {false, true})
          for (bool a_transposed : {false, true})
            check_mma({.shape = padded_shape(m, n, 40, 0, beta, BatchKind::strides, a_transposed),
                       .batch = 2,
                       .guard_after = bias,
                       .bias = bias},
                      DType::f32, MmaBlock::low_fma);
}

TEST(FmaOnHost, IsExactForEveryBatchAndLastStep) {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets})
    for (std::int64_t batch : {0, 1, 2, 5})
      for (int steps = 0; steps < kNumLastSteps; ++steps)
        check_mma({.shape = padded_shape(40, 43, 40, 1, steps % 2, kind),
                   .batch = batch,
                   .rows = steps % 2 == 0 ? -1 : 37,
                   .bias = (steps & 1) != 0,
                   .residual = (steps & 2) != 0,
                   .last = kLastSteps[steps]},
                  DType::f32, MmaBlock::low_fma);
}

TEST(FmaOnHost, TheBlocksOfADeviceAreExact) {
  for (bool a_transposed : {false, true}) {
    check_mma({.shape = padded_shape(128, 128, 64, 0, 0, BatchKind::offsets, a_transposed), .batch = 3}, DType::f32,
              MmaBlock::wide_fma);
    check_mma({.shape = padded_shape(131, 140, 71, 1, 1, BatchKind::strides, a_transposed),
               .batch = 2,
               .bias = true,
               .last = kLastSteps[1]},
              DType::f32, MmaBlock::wide_fma);
  }
}

// TF32 would round this product.
TEST(FmaOnHost, IsStrict) {
  using Tile = LowFmaTile<>;
  const float a = 1 + 0x1p-23F, b = 1;
  float c = 0;
  HostWarps block(Tile::kThreads, Tile::kScratch, Copies::late);
  brgemm_fma<Tile, float>(block, {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1},
                          {.batch = Batch::strided(&a, &b, 1, 0, 0), .c = &c});
  EXPECT_EQ(c, a);
}

// The rules of HostWarps: breaking one must be noticed.
class BrokenRules : public testing::Test {
 protected:
  HostWarps late{32, 256, Copies::late}, early{32, 256, Copies::early};
  alignas(16) float source[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};

TEST_F(BrokenRules, ACopyArrivesAfterItsWaitAndABarrier) {
  for (HostWarps* block : {&late, &early}) {
    block->copy_async(16, source, true);
    block->copy_async(48, source, false);
    block->commit();
    block->copy_async(32, source, true);
    block->commit();
    block->wait<1>();
    block->barrier();
    EXPECT_EQ(block->load<float>(20), 2);
    EXPECT_EQ(block->load<float>(52), 0);  // a copy that is not live gives zeros
  }
  EXPECT_NE(late.load<float>(32), 1);  // nobody has waited for this one
}

TEST_F(BrokenRules, ACopyWithoutAWaitDoesNotArrive) {
  late.copy_async(0, source, true);
  late.commit();
  late.barrier();
  EXPECT_FALSE(late.load<float>(0) == 1);
}

TEST_F(BrokenRules, PlacesAreNotReadAndWrittenBetweenTwoBarriers) {
  early.store(0, 1.0F);
  EXPECT_THROW(early.load<float>(0), std::logic_error);
  early.barrier();
  EXPECT_EQ(early.load<float>(0), 1);
  EXPECT_THROW(early.store(4, 1.0F), std::logic_error);
  EXPECT_THROW(early.copy_async(0, source, true), std::logic_error);
}

TEST_F(BrokenRules, AProductReadsOnlyWhatWasPublished) {
  early.store(0, bf16(1.0F));
  early.barrier();
  EXPECT_THROW(early.read_by_product(0), std::logic_error);
  early.publish();
  EXPECT_THROW(early.read_by_product(0), std::logic_error);  // other threads cannot see it before the barrier
  early.barrier();
  EXPECT_EQ(static_cast<float>(early.read_by_product(0)), 1);
}

TEST_F(BrokenRules, ACopyIsPublishedOnlyAfterItsWait) {
  late.copy_async(0, source, true);
  late.commit();
  late.publish();
  late.wait<0>();
  late.barrier();
  EXPECT_THROW(late.read_by_product(0), std::logic_error);
}

TEST_F(BrokenRules, OperandsAreWrittenOnlyAfterAWaitForTheirProducts) {
  early.read_by_product(0);
  early.commit_products();
  early.barrier();
  EXPECT_THROW(early.store(0, 1.0F), std::logic_error);
  early.wait_products<0>();
  EXPECT_THROW(early.store(0, 1.0F), std::logic_error);  // products of other warps must have ended, too
  early.barrier();
  early.store(0, 1.0F);
}

TEST_F(BrokenRules, NothingIsMisalignedOrOutside) {
  EXPECT_THROW(early.copy_async(0, source + 1, true), std::logic_error);
  EXPECT_THROW(early.copy_async(8, source, true), std::logic_error);
  EXPECT_THROW(early.copy_async(256, source, true), std::logic_error);
  EXPECT_THROW(early.store(254, 1.0F), std::logic_error);
  EXPECT_THROW(early.load<float>(-4), std::logic_error);
}

// C in bf16 is C in f32, rounded once; the epilogue's tensors are bf16, too.
TEST(MmaOnHost, StoresBf16) {
  using Tile = MmaTile<bf16, 32, 32, 32, 1, 1, 2>;
  const int m = 19, n = 13, k = 40;
  std::vector<bf16> a(m * k), b(k * n), c(m * n), residual(m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = bf16(static_cast<float>(i % 13) - 6);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = bf16(static_cast<float>(i % 11) - 5);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = bf16(static_cast<float>(i % 7)), residual[i] = bf16(0.5F * (i % 5));
  const std::vector<bf16> before = c;
  const BrgemmShape shape{.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n, .beta = 1};
  const BrgemmCall call{.batch = Batch::strided(a.data(), b.data(), 1, 0, 0),
                        .c = c.data(),
                        .epilogue = {.residual = residual.data(), .ldr = n, .activation = Activation::relu}};
  HostWarps block(Tile::kThreads, Tile::kScratch, Copies::late);
  brgemm_mma<Tile, bf16>(block, shape, call);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = before[i * n + j] + residual[i * n + j];
      for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      EXPECT_EQ(c[i * n + j].bits, bf16(sum < 0 ? 0 : sum).bits) << i << " " << j;
    }
}

// An f32 that is no TF32 is rounded before it is multiplied.
TEST(MmaOnHost, RoundsToTf32) {
  using Tile = MmaTile<float, 32, 32, 32, 1, 1, 2>;
  const float a = 1 + 0x1p-11F, b = 1;
  float c = 0;
  HostWarps block(Tile::kThreads, Tile::kScratch, Copies::late);
  brgemm_mma<Tile, float>(block, {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1},
                          {.batch = Batch::strided(&a, &b, 1, 0, 0), .c = &c});
  EXPECT_EQ(c, 1 + 0x1p-10F);
}

}  // namespace
}  // namespace brickwork
