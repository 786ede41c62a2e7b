#include "experiments/harness/peaks/loaded_roof.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <numeric>

#include "experiments/harness/peaks/loaded_roof-inl.h"
#include "kernels/testing/only_target.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kPasses = 3;

TEST(RegisterTile, TheBestOneFitsTheRegistersAndNoOtherNeedsFewerLoads) {
  const std::pair<int, RegisterTile> expected[] = {{32, {5, 5}}, {16, {4, 3}}};
  for (const auto& [registers, tile] : expected) {
    const RegisterTile best = tile_of_fewest_loads(registers);
    EXPECT_EQ(best.rows, tile.rows) << registers;
    EXPECT_EQ(best.vecs, tile.vecs) << registers;
    EXPECT_LE(best.registers(), registers);
    for (int rows = 1; rows < registers; ++rows) {
      for (int vecs = 1; rows * vecs + vecs + 1 <= registers; ++vecs) {
        EXPECT_GE((rows + vecs) * best.rows * best.vecs, (best.rows + best.vecs) * rows * vecs) << rows << " " << vecs;
      }
    }
  }
}

// Replaces vectors: a value knows how many multiply-adds made it, and loads and multiply-adds are counted.
struct Counting {
  struct V {
    int multiply_adds = 0;
  };
  static constexpr int kLanes = 1;

  V Load(const float*) { return ++loads, V{}; }
  V Spread(const float*) { return ++loads, V{}; }
  V MultiplyAdd(V, V, V sum) { return ++multiply_adds, V{sum.multiply_adds + 1}; }

  int loads = 0, multiply_adds = 0;
};

template <RegisterTile kTile>
void expect_a_step_of_what_the_tile_says() {
  Counting counting;
  Counting::V sums[kTile.rows][kTile.vecs];
  const float a[kTile.rows] = {}, b[kTile.vecs] = {};
  HWY_NAMESPACE::AddStep<kTile>(counting, sums, a, b);
  EXPECT_EQ(counting.loads, kTile.loads());
  EXPECT_EQ(counting.multiply_adds, kTile.multiply_adds());
  for (const auto& row : sums) {
    for (const auto& sum : row) EXPECT_EQ(sum.multiply_adds, 1);
  }
}

TEST(RegisterTile, AStepLoadsEveryOperandOnce) {
  expect_a_step_of_what_the_tile_says<RegisterTile{5, 5}>();
  expect_a_step_of_what_the_tile_says<RegisterTile{4, 3}>();
  EXPECT_EQ((RegisterTile{5, 5}.loads()), 10);
  EXPECT_EQ((RegisterTile{5, 5}.multiply_adds()), 25);
  EXPECT_EQ((RegisterTile{4, 3}.loads()), 7);
  EXPECT_EQ((RegisterTile{4, 3}.multiply_adds()), 12);
}

TEST(LoadedRoof, CountsTwoFlopsPerMultiplyAdd) {
  for_every_target([](const char* name) {
    for (const int threads : {1, 2, 3}) {
      LoadedRoof roof(threads, kPasses);
      EXPECT_EQ(roof.isa(), name);
      std::ranges::fill(roof.b(), 1.0F);
      EXPECT_GE(roof.run(), 12.0 * LoadedRoof::kDepth * kPasses * threads) << name;
      EXPECT_EQ(roof.flop(), 2 * roof.run()) << name << ", " << threads << " threads";
    }
  });
}

// If an element were left out or replaced by another, the loop would do less work than a kernel.
TEST(LoadedRoof, UsesEveryElementInEveryPass) {
  for_every_target([](const char* name) {
    LoadedRoof roof(1, kPasses);
    std::ranges::fill(roof.b(), 1.0F);
    const auto expect_each_used = [&](AlignedBuffer<float>& operand, const AlignedBuffer<float>& other) {
      const double uses = static_cast<double>(other.size()) / LoadedRoof::kDepth * kPasses;
      std::ranges::fill(operand, 0.0F);
      for (std::size_t i = 0; i < operand.size(); ++i) {
        operand[i] = 1;
        EXPECT_EQ(roof.run(), uses) << name << ", element " << i;
        operand[i] = 0;
      }
      std::ranges::fill(operand, 1.0F);
    };
    expect_each_used(roof.a(), roof.b());
    expect_each_used(roof.b(), roof.a());
  });
}

// Growing sums would reach values that a multiply-add no longer changes, or infinity, which some processors compute
// slowly.
TEST(LoadedRoof, SumsDoNotGrow) {
  LoadedRoof roof(2);
  EXPECT_TRUE(std::ranges::none_of(roof.a(), [](float x) { return x == 0; }));
  EXPECT_TRUE(std::ranges::none_of(roof.b(), [](float x) { return x == 0; }));
  EXPECT_EQ(std::accumulate(roof.b().begin(), roof.b().end(), 0.0F), 0);
  EXPECT_EQ(roof.run(), 0);
}

TEST(LoadedRoof, FillsLessThanHalfOfTheSmallestL1) {
  LoadedRoof roof(1);
  EXPECT_LT(sizeof(float) * (roof.a().size() + roof.b().size()), 16U << 10);
}

}  // namespace
}  // namespace brickwork
