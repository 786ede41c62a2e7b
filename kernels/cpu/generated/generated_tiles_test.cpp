#include "kernels/cpu/generated/generated_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "kernels/testing/brgemm_check.hpp"

namespace brickwork {
namespace {

class GeneratedTilesTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    const BackendInfo simd = brgemm_backend(Backend::simd);
    if (tile_generator_version().empty()) GTEST_SKIP() << "this build or system generates no code";
    if (std::ranges::find(simd.isas, GetParam()) == simd.isas.end()) {
      GTEST_SKIP() << "this machine has no " << to_string(GetParam());
    }
    isa_ = GetParam() == Isa::avx2 ? simd_avx2() : simd_avx512();
    panel_ = isa_.cut(padded_shape(1, 64, 1, 0, 0, BatchKind::offsets), 4).front();
  }

  auto tiles(const BrgemmShape& shape) const { return generate_tiles(shape, {}, panel_, isa_.lanes); }

  SimdIsa isa_;
  Panel panel_;
};

INSTANTIATE_TEST_SUITE_P(Isas, GeneratedTilesTest, testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& isa) { return std::string(to_string(isa.param)); });

TEST_P(GeneratedTilesTest, AreNamedInTheBackendsVersion) {
  EXPECT_NE(brgemm_backend(Backend::simd).version.find(tile_generator_version()), std::string::npos);
}

TEST_P(GeneratedTilesTest, ExistForAnOrdinaryShape) {
  const BrgemmShape shape = padded_shape(28, 64, 64, 0, 0, BatchKind::offsets);
  EXPECT_NE(tiles(shape), nullptr);
}

TEST_P(GeneratedTilesTest, ThreadsMayAskForATileAtOnce) {
  constexpr int m = 28, n = 64, k = 8;
  const BrgemmShape shape = padded_shape(m, n, k, 0, 0, BatchKind::strides);
  const auto brick = make_brgemm(shape, {}, Backend::simd, GetParam());
  ASSERT_TRUE(brick) << brick.reason();
  const std::vector<float> a(m * k, 1.0F), b(k * n, 1.0F);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int rows = 1; rows <= m; ++rows) {
        std::vector<float> c(m * n, 0.0F);
        (**brick)({.batch = strided_batch(shape, a.data(), b.data(), 1), .c = c.data(), .rows = rows});
        if (std::ranges::count(c, static_cast<float>(k)) != rows * n) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// Steps over k may not be as far apart as rows of A: a tile has more of them.
TEST_P(GeneratedTilesTest, AreAbsentIfTheStepsOfATransposedAAreFarApart) {
  for (bool a_transposed : {false, true}) {
    BrgemmShape shape = padded_shape(2, 64, 2, 0, 0, BatchKind::offsets, a_transposed);
    shape.lda = std::int64_t{1} << 20;
    const BrgemmHints hints{.tuning = {.ahead = 1024}};
    EXPECT_EQ(generate_tiles(shape, hints, panel_, isa_.lanes) == nullptr, a_transposed);
    const auto brick = make_brgemm(shape, hints, Backend::simd, GetParam());
    ASSERT_TRUE(brick) << brick.reason();
    EXPECT_EQ(check_brgemm(**brick, {.shape = shape}), "");
  }
}

// One turn of a small tile's loop has as many steps as the tile has sums, even if the loop is not unrolled.
TEST_P(GeneratedTilesTest, AreAbsentIfTheStepsOfATurnAreFarApart) {
  BrgemmShape shape = padded_shape(1, 64, 64, 0, 0, BatchKind::offsets);
  shape.ldb = 100'000'000;
  EXPECT_EQ(generate_tiles(shape, {.tuning = {.ahead = 0, .few = 0}}, panel_, isa_.lanes), nullptr);
}

// The limit allows for prefetching twice the tuning's `ahead`, which calls of few tiles do, even if this shape does
// not.
TEST_P(GeneratedTilesTest, AreAbsentIfPrefetchedRowsAreFarAway) {
  for (const auto& [ldb, there] : {std::pair{190'000, true}, {400'000, false}}) {
    BrgemmShape shape = padded_shape(1, 64, 64, 0, 0, BatchKind::offsets);
    shape.ldb = ldb;
    EXPECT_EQ(generate_tiles(shape, {.tuning = {.ahead = 1024}}, panel_, isa_.lanes) != nullptr, there);
  }
}

// The brick is still right: it uses compiled tiles.
TEST_P(GeneratedTilesTest, AreAbsentIfADistanceFitsNoInstruction) {
  constexpr std::int64_t kFar = std::int64_t{1} << 27;
  for (std::int64_t BrgemmShape::*const distance : {&BrgemmShape::lda, &BrgemmShape::ldb, &BrgemmShape::ldc}) {
    BrgemmShape shape = padded_shape(1, 64, 1, 0, 0, BatchKind::offsets);
    shape.*distance = kFar;
    EXPECT_EQ(tiles(shape), nullptr);
    const auto brick = make_brgemm(shape, {}, Backend::simd, GetParam());
    ASSERT_TRUE(brick) << brick.reason();
    EXPECT_EQ(check_brgemm(**brick, {.shape = shape, .batch = 2}), "");
  }
}

}  // namespace
}  // namespace brickwork
