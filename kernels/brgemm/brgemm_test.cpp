#include "kernels/brgemm/brgemm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/testing/brgemm_fixture.hpp"

namespace brickwork {
namespace {

// Sizes around the vector widths 4, 8 and 16, and around every register tile.
constexpr int kMEdges[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 24, 27, 28, 29, 30, 31, 49, 64, 70};
constexpr int kNEdges[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  15, 16, 17, 18,
                           31, 32, 33, 34, 47, 48, 49, 50, 63, 64, 65, 66, 70};
constexpr int kKEdges[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 21, 23, 24, 31, 33, 63, 64, 65, 70};

std::string target_name(const testing::TestParamInfo<Target>& info) {
  return std::string(to_string(info.param.backend)) + "_" + std::string(to_string(info.param.isa)) +
         (info.param.code == TileCode::generated ? "_generated" : "");
}

INSTANTIATE_TEST_SUITE_P(Backends, Brgemm,
                         testing::Values(Target{Backend::libxsmm, Isa::best}, Target{Backend::simd, Isa::avx2},
                                         Target{Backend::simd, Isa::avx2, TileCode::generated},
                                         Target{Backend::simd, Isa::avx512},
                                         Target{Backend::simd, Isa::avx512, TileCode::generated},
                                         Target{Backend::simd, Isa::neon}, Target{Backend::portable, Isa::best}),
                         target_name);

#ifdef __SANITIZE_ADDRESS__
constexpr int kEveryM = 5;  // several times slower; heights still leave every remainder, except those of multiples of 5
#else
constexpr int kEveryM = 1;
#endif

// Every m x n with every batch kind and both values of beta.
TEST_P(Brgemm, EveryTileOfC) {
  Draw draw;
  for (int m = 1; m <= 70; m += kEveryM)
    for (int n = 1; n <= 70; ++n)
      for (BatchKind kind : kBatchKinds)
        for (int beta : {0, 1}) {
          const int k = kKEdges[draw(std::size(kKEdges))];
          const BrgemmCase test{.shape = padded_shape(m, n, k, draw(3), beta, kind, draw(2) == 0),
                                .batch = 1 + draw(4),
                                .guard_after = draw(2) == 0,
                                .hints = {.tuning = draw_tuning(draw)}};
          if (!passes(test)) return;
        }
}

// Every height and width of a tile, with and without a tail: as many rows as fit form one tile.
TEST_P(Brgemm, EveryTileOfATransposedA) {
  Draw draw;
  for (int m = 1; m <= 29; ++m)
    for (int n : {3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64})
      for (int k : {1, 4, 7, 33}) {
        const BrgemmShape shape = padded_shape(m, n, k, draw(3), draw(2), kBatchKinds[draw(2)], true);
        if (!passes({.shape = shape,
                     .batch = 1 + draw(3),
                     .guard_after = draw(2) == 0,
                     .hints = {.tuning = {.spread = kSpreads[draw(3)]}}}))
          return;
      }
}

// Sizes around every edge, in all three directions at once.
TEST_P(Brgemm, EveryDepth) {
  Draw draw;
  for (int k : kKEdges)
    for (int m : kMEdges)
      for (int n : kNEdges) {
        const BrgemmShape shape = padded_shape(m, n, k, draw(3), draw(2), kBatchKinds[draw(2)], draw(2) == 0);
        if (!passes({shape, 2, draw(2) == 0})) return;
      }
}

TEST_P(Brgemm, EveryBatchSize) {
  Draw draw;
  for (std::int64_t batch : {0, 1, 2, 3, 9, 257, 600})
    for (BatchKind kind : kBatchKinds)
      for (int beta : {0, 1})
        for (int pad : {0, 1, 3})
          for (bool guard_after : {false, true})
            if (!passes({padded_shape(5, 19, 6, pad, beta, kind, draw(2) == 0), batch, guard_after})) return;
}

TEST_P(Brgemm, BlocksOfManyRegisterTiles) {
  Draw draw;
  for (int m : {71, 97, 128})
    for (int n : {96, 111, 128, 129, 255, 256})
      for (int k : {64, 129, 256})
        if (!passes({padded_shape(m, n, k, draw(3), draw(2), kBatchKinds[draw(2)], draw(2) == 0), 3, draw(2) == 0}))
          return;
}

// kept = 0: every B counts as far.
TEST_P(Brgemm, WideTilesOfAFarB) {
  Draw draw;
  for (int m : {1, 2, 3, 4, 5, 6, 7, 11, 13, 37})
    for (int n : {8, 16, 24, 31, 32, 64}) {
      BrgemmCase test{.shape = padded_shape(m, n, 9, draw(3), draw(2), BatchKind::strides),
                      .batch = 2,
                      .guard_after = draw(2) == 0,
                      .hints = {.tuning = {.tiles = FarTiles::wide, .kept = 0}}};
      if (!passes(test)) return;
    }
}

// The rows of A of a convolution overlap. A backend may refuse that, with a reason that says so.
TEST_P(Brgemm, OverlappingRowsOfA) {
  for (std::int64_t lda : {1, 3, 6, 13})
    for (BatchKind kind : kBatchKinds)
      for (bool a_transposed : {false, true}) {
        BrgemmShape shape = padded_shape(14, 34, 21, 1, 0, kind, a_transposed);
        shape.lda = lda;
        if (const auto kernel = make(shape); !kernel && GetParam().backend == Backend::libxsmm) {
          const char* least = a_transposed ? "lda must be at least m = 14" : "lda must be at least k = 21";
          EXPECT_NE(kernel.reason().find(least), std::string::npos) << kernel.reason();
          continue;
        }
        if (!passes({shape, 3})) return;
      }
}

TEST_P(Brgemm, LeadingDimensionsAreIndependent) {
  Draw draw;
  for (std::int64_t lda : {16, 17, 256})
    for (std::int64_t ldb : {33, 64, 1000})
      for (std::int64_t ldc : {33, 47, 512}) {
        BrgemmShape shape = padded_shape(13, 33, 16, 0, 1, BatchKind::offsets, draw(2) == 0);
        shape.lda = lda;
        shape.ldb = ldb;
        shape.ldc = ldc;
        if (!passes({shape, 2, draw(2) == 0})) return;
      }
}

// Members may share memory: a stride of 0 repeats one member, a small one slides over the rows.
TEST_P(Brgemm, MembersMayOverlap) {
  for (std::int64_t stride : {0, 1, 7, 16})
    for (bool a_transposed : {false, true}) {
      BrgemmShape shape = padded_shape(12, 48, 16, 0, 1, BatchKind::strides, a_transposed);
      shape.stride_a = stride;
      shape.stride_b = stride;
      if (!passes({shape, 5})) return;
    }
}

// One kernel serves every number of rows; rows = 0 is no tile.
TEST_P(Brgemm, FewerRows) {
  Draw draw;
  if (!passes({.shape = padded_shape(7, 33, 9, 0, 0, BatchKind::strides), .rows = 0})) return;
  for (int m : {1, 2, 7, 13, 28, 64})
    for (int n : {5, 16, 33, 64, 112})
      for (BatchKind kind : kBatchKinds)
        for (int beta : {0, 1}) {
          const BrgemmShape shape = padded_shape(m, n, 9, draw(3), beta, kind, draw(2) == 0);
          const BrgemmHints hints{.c = static_cast<CAccess>(draw(3))};
          const auto kernel = make(shape, hints);
          ASSERT_TRUE(kernel) << kernel.reason();
          for (int rows = m; rows >= -1; --rows) {
            const BrgemmCase test{.shape = shape,
                                  .batch = draw(4),
                                  .guard_after = draw(2) == 0,
                                  .hints = hints,
                                  .rows = rows,
                                  .last = kLastSteps[draw(kNumLastSteps)]};
            ASSERT_EQ(check_brgemm(**kernel, test), "") << to_string(test);
          }
        }
}

TEST_P(Brgemm, EveryEpilogue) {
  Draw draw;
  for (int m : kMEdges)
    for (int n : kNEdges)
      for (int steps = 0; steps < 4 * kNumLastSteps; ++steps) {
        const BrgemmCase test{.shape = padded_shape(m, n, 6, draw(3), draw(2), kBatchKinds[draw(2)], draw(2) == 0),
                              .batch = draw(4),
                              .guard_after = draw(2) == 0,
                              .rows = draw(2) == 0 ? -1 : draw(m + 1),
                              .bias = (steps & 1) != 0,
                              .residual = (steps & 2) != 0,
                              .last = kLastSteps[steps / 4]};
        if (!passes(test)) return;
      }
}

TEST_P(Brgemm, AnEpilogueHidesNoNaN) {
  constexpr int m = 9, n = 40;
  const auto kernel = make(padded_shape(m, n, 1, 0, 0, BatchKind::strides));
  ASSERT_TRUE(kernel) << kernel.reason();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> b(n, 1.0f);
  for (const LastStep& last : kLastSteps)
    for (const auto& [a_value, at_value] : {std::pair{nan, 1.0f}, {1.0f, nan}, {nan, 0.0f}}) {
      const std::vector<float> a(m, a_value), at(m * n, at_value);
      std::vector<float> c(m * n, 0.0f);
      const TileEpilogue epilogue{
          .bias = b.data(), .activation = last.activation, .at = last.derivative ? at.data() : nullptr, .ldat = n};
      (**kernel)(
          {.batch = strided_batch((*kernel)->shape(), a.data(), b.data(), 1), .c = c.data(), .epilogue = epilogue});
      const float wanted = epilogue(a_value, 0, 0);
      for (float x : c)
        ASSERT_TRUE(std::isnan(wanted) ? std::isnan(x) : std::abs(x - wanted) < 1e-5) << to_string(last);
    }
}

TEST_P(Brgemm, RandomShapes) {
  const bool rows_may_overlap = GetParam().backend != Backend::libxsmm;
  const bool passed = rc::check([&] {
    const auto size = [](int last) { return *rc::gen::inRange(1, last + 1); };
    BrgemmShape shape =
        padded_shape(size(70), size(70), size(70), 0, *rc::gen::element(0, 1),
                     *rc::gen::elementOf(std::vector<BatchKind>{std::begin(kBatchKinds), std::end(kBatchKinds)}),
                     *rc::gen::arbitrary<bool>());
    const int tight = shape.a_transposed ? shape.m : shape.k;
    shape.lda = *rc::gen::inRange(rows_may_overlap ? 1 : tight, tight + 20);
    shape.ldb += *rc::gen::inRange(0, 20);
    shape.ldc += *rc::gen::inRange(0, 20);
    const BrgemmCase test{
        .shape = shape,
        .batch = *rc::gen::inRange(0, 10),
        .guard_after = *rc::gen::arbitrary<bool>(),
        .seed = *rc::gen::arbitrary<unsigned>(),
        .rows = *rc::gen::inRange(-1, shape.m + 1),
        .bias = *rc::gen::arbitrary<bool>(),
        .residual = *rc::gen::arbitrary<bool>(),
        .last = *rc::gen::elementOf(std::vector<LastStep>(std::begin(kLastSteps), std::end(kLastSteps)))};
    const auto kernel = make(shape);
    if (!kernel) RC_FAIL(kernel.reason());
    if (const std::string wrong = check_brgemm(**kernel, test); !wrong.empty()) RC_FAIL(to_string(test) + ": " + wrong);
  });
  EXPECT_TRUE(passed);
}

TEST_P(Brgemm, RefusesCallsThatItWasNotMadeFor) {
  const float x = 0;
  const std::uint64_t offset = 0;
  float c = 0;
  const Batch batches[] = {Batch::strided(&x, &x, 0, 0, 0), Batch::at_offsets(&x, &x, 0, &offset, &offset)};
  for (BatchKind kind : kBatchKinds) {
    const auto made = make(padded_shape(1, 1, 1, 0, 0, kind));
    ASSERT_TRUE(made) << made.reason();
    const BrgemmKernel& kernel = **made;
    for (const Batch& batch : batches) {
      if (batch.kind == kind) {
        EXPECT_NO_THROW(kernel({.batch = batch, .c = &c}));
        EXPECT_THROW(kernel({.batch = batch, .c = &c, .rows = 2}), std::logic_error);
      } else {
        EXPECT_THROW(kernel({.batch = batch, .c = &c}), std::logic_error);
      }
    }
  }
}

TEST_P(Brgemm, NamesItsIsa) {
  const auto kernel = make(padded_shape(4, 4, 4, 0, 0, BatchKind::offsets));
  ASSERT_TRUE(kernel) << kernel.reason();
  EXPECT_FALSE((*kernel)->isa().empty());
}

// Every way to spread A over the lanes, at every height of a narrow tile.
TEST_P(Brgemm, NarrowTilesOfEverySpread) {
  if (GetParam().backend != Backend::simd) return;
  Draw draw;
  for (SpreadA spread : kSpreads)
    for (int m = 1; m <= 70; ++m)
      for (int n : {1, 3, 4, 7, 8, 9, 15, 16})
        for (int k : {1, 3, 4, 5, 8, 23}) {
          if (!passes({.shape = padded_shape(m, n, k, draw(3), draw(2), kBatchKinds[draw(2)], draw(4) == 0),
                       .batch = 1 + draw(3),
                       .guard_after = draw(2) == 0,
                       .hints = {.tuning = {.spread = spread}}}))
            return;
        }
}

}  // namespace
}  // namespace brickwork
