// Hints: no result depends on them, and nothing else is touched.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/testing/brgemm_fixture.hpp"

namespace brickwork {
namespace {

// For any distance the result is the same, and nothing there is touched.
TEST_P(Brgemm, NextAIsOnlyAHint) {
  for (BatchKind kind : kBatchKinds)
    for (std::int64_t next : {1LL, 448LL, -64LL, 1LL << 40})
      for (bool guard_after : {false, true})
        for (bool a_transposed : {false, true}) {
          if (!passes({.shape = padded_shape(14, 34, 21, 1, 0, kind, a_transposed),
                       .batch = 2,
                       .guard_after = guard_after,
                       .next_a = next}))
            return;
        }
}

// Includes memory that may not be read, and more lines than there are steps, in one row and in many.
TEST_P(Brgemm, ReadNextIsOnlyAHint) {
  const std::vector<float> few(20, 1.0F);
  const auto* const nowhere = reinterpret_cast<const void*>(std::uintptr_t{64});
  for (bool reads_next : {false, true})
    for (bool a_transposed : {false, true})
      for (int k : {1, 21, 256}) {
        BrgemmCase test{.shape = padded_shape(14, 34, k, 1, 0, BatchKind::strides, a_transposed),
                        .batch = 2,
                        .hints = {.reads_next = reads_next}};
        if (!passes(test)) return;
        for (const NextRows& next :
             {NextRows{few.data(), static_cast<std::int64_t>(few.size() * sizeof(float))}, NextRows{nowhere, 1 << 20},
              NextRows{nowhere, 256, 1000, 1 << 12}, NextRows{nowhere, 100, 3, 100}, NextRows{nowhere, 64, 0, 64}}) {
          test.read_next = next;
          if (!passes(test)) return;
        }
      }
}

// Together the shares are the whole, without overlap.
TEST(NextRows, ShareRowsOrTheLinesOfASingleRow) {
  const auto at = [](std::int64_t byte) { return reinterpret_cast<const void*>(std::uintptr_t{4096} + byte); };
  const NextRows rows{at(0), 256, 10, 1000}, row{at(0), 10 * 64};
  const auto expect = [](const NextRows& share, const void* first, std::int64_t bytes, std::int64_t count) {
    EXPECT_EQ(share.first, first);
    EXPECT_EQ(share.bytes, bytes);
    EXPECT_EQ(share.count, count);
  };
  expect(rows.share(0, 3), at(0), 256, 3);
  expect(rows.share(1, 3), at(3000), 256, 3);
  expect(rows.share(2, 3), at(6000), 256, 4);
  expect(rows.share(0, 20), at(0), 256, 0);
  expect(rows.share(19, 20), at(9000), 256, 1);
  expect(row.share(1, 3), at(3 * 64), 3 * 64, 1);
  expect(row.share(2, 3), at(6 * 64), 4 * 64, 1);
  expect(row.share(0, 20), at(0), 0, 1);
  expect(rows.share(3, 7, 10), at(3000), 256, 4);
  expect(NextRows{at(0), 65}.share(1, 2), at(64), 64, 1);
  EXPECT_EQ(rows.lines(), 40);
  EXPECT_EQ((NextRows{at(0), 65}.lines()), 2);
}

// All positions of the zero rows in a tile and between tiles; whole and partial rounds of a period.
TEST_P(Brgemm, ZeroRowsMayBeLeftOut) {
  Draw draw;
  for (int m = 1; m <= 30; ++m)
    for (int n : {16, 49, 64, 127})
      for (int period : {1, 2, 3, 7})
        for (std::int64_t step : {1, 2})
          for (std::int64_t pad : {0, 1, 3, 9}) {
            BrgemmCase test{.shape = padded_shape(m, n, 5, 0, draw(2), kBatchKinds[draw(2)], draw(4) == 0),
                            .batch = 1 + draw(2 * period)};
            test.hints.zero_rows = {.period = period, .step = step, .begin = pad, .end = pad + draw(m * 2 + 1)};
            test.hints.tuning = draw_tuning(draw);
            if (!passes(test)) return;
          }
}

// Aligned or not, with whole vectors or a tail: C is right and nothing beside it is written.
TEST_P(Brgemm, CAccessIsOnlyAHint) {
  Draw draw;
  for (CAccess c : {CAccess::prefetch, CAccess::stream})
    for (int beta : {0, 1})
      for (int n : {16, 17, 32, 40, 64, 96})
        for (std::int64_t ldc : {64, 96, 97, 112}) {
          if (ldc < n) continue;
          BrgemmCase test{.shape = padded_shape(15, n, 21, 1, beta, BatchKind::offsets, draw(2) == 0),
                          .batch = 3,
                          .hints = {.c = c, .tuning = draw_tuning(draw)}};
          test.shape.ldc = ldc;
          for (bool guard_after : {false, true})
            for (bool epilogue : {false, true}) {
              test.guard_after = guard_after;
              test.bias = test.residual = epilogue;
              if (epilogue) test.last = kLastSteps[draw(kNumLastSteps)];
              if (!passes(test)) return;
            }
        }
}

// In a call with fewer rows, rows that the hint calls zero need not be zero.
TEST_P(Brgemm, ZeroRowsHoldOnlyForCallsWithAllRows) {
  const BrgemmShape shape = padded_shape(28, 64, 8, 0, 0, BatchKind::strides);
  const auto kernel = make(shape, {.zero_rows = {.period = 3, .step = 1, .begin = 1, .end = 20}, .tuning = {}});
  ASSERT_TRUE(kernel) << kernel.reason();
  for (int rows = 0; rows < 28; ++rows) {
    const BrgemmCase test{.shape = shape, .batch = 7, .rows = rows};
    ASSERT_EQ(check_brgemm(**kernel, test), "") << to_string(test);
  }
}

}  // namespace
}  // namespace brickwork
