#include "primitives/analysis/rankings/touched_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "primitives/analysis/rankings/testing/small_nests.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

struct UsesOfTensor {
  std::vector<std::uint64_t> blocks;
  std::vector<std::int64_t> bytes, touched;
};

// The blocks of tensor 0, numbered from 0 in the order of the tensor.
UsesOfTensor first_tensor(TouchedBlocks& blocks, const std::vector<LoopRange>& at, std::size_t others) {
  UsesOfTensor found;
  const auto uses = blocks.of_call(at, ~0U);
  for (const auto& [block, bytes, touched] : uses.first(uses.size() - others)) {
    found.blocks.push_back(block), found.bytes.push_back(bytes), found.touched.push_back(touched);
  }
  return found;
}

TEST(TouchedBlocks, ACallOfAProductTouchesOneBlockOfEachTensor) {
  TouchedBlocks blocks(product_nest(8, 8, 8, 4, "m n k"));
  const auto uses = blocks.of_call(std::vector<LoopRange>{{1, 2}, {0, 1}, {1, 2}}, ~0U);
  ASSERT_EQ(uses.size(), 3U);
  std::set<std::uint64_t> different;
  for (const auto& [block, bytes, touched] : uses) {
    EXPECT_EQ(bytes, 64);
    EXPECT_EQ(touched, 64);
    different.insert(block);
  }
  EXPECT_EQ(different.size(), 3U);
}

TEST(TouchedBlocks, AllCallsOfAProductTouchEachBlockEquallyOften) {
  const ScheduledNest nest = product_nest(12, 8, 20, 4, "m n k");
  TouchedBlocks blocks(nest);
  std::map<std::uint64_t, int> uses;
  for (std::int64_t m = 0; m < 3; ++m) {
    for (std::int64_t n = 0; n < 2; ++n) {
      for (std::int64_t k = 0; k < 5; ++k) {
        for (const auto& use : blocks.of_call(std::vector<LoopRange>{{m, m + 1}, {n, n + 1}, {k, k + 1}}, ~0U)) {
          ++uses[use.block];
        }
      }
    }
  }
  std::map<int, int> blocks_with;
  for (const auto& [block, times] : uses) ++blocks_with[times];
  EXPECT_THAT(blocks_with, ElementsAre(std::pair(2, 15), std::pair(3, 10), std::pair(5, 6)));  // A, B and C
}

TEST(TouchedBlocks, TheLastBlocksOfATensorAreSmaller) {
  TouchedBlocks blocks(product_nest(6, 5, 4, 4, "m n k"));
  const auto uses = blocks.of_call(std::vector<LoopRange>{{1, 2}, {1, 2}, {0, 1}}, ~0U);
  EXPECT_EQ(uses[0].bytes, 2 * 4 * 4);
  EXPECT_EQ(uses[1].bytes, 4 * 1 * 4);
  EXPECT_EQ(uses[2].touched_bytes, 2 * 1 * 4);
}

// Windows of 3 x 3 over 8 pixels a row, four of them in a call: rows are blocks, and a call needs two columns of the
// next block of columns.
TEST(TouchedBlocks, WindowsTouchRowsAndPartsOfTheNextColumns) {
  TouchedBlocks blocks(window_nest(4, 8, 3, 1, 0, 4, "p q"));  // src: 6 x 10
  auto uses = first_tensor(blocks, {{1, 2}, {0, 1}}, 1);
  EXPECT_THAT(uses.blocks, ElementsAre(3, 4, 6, 7, 9, 10));  // rows 1 to 3, three blocks each
  EXPECT_THAT(uses.touched, ElementsAre(16, 8, 16, 8, 16, 8));
  EXPECT_THAT(uses.bytes, ElementsAre(16, 16, 16, 16, 16, 16));
  uses = first_tensor(blocks, {{1, 2}, {1, 2}}, 1);
  EXPECT_THAT(uses.blocks, ElementsAre(4, 5, 7, 8, 10, 11));
  EXPECT_THAT(uses.bytes, ElementsAre(16, 8, 16, 8, 16, 8));  // the last block has two columns
}

TEST(TouchedBlocks, PaddingIsNotTouched) {
  TouchedBlocks blocks(window_nest(4, 4, 3, 1, 1, 4, "p q"));                                 // src: 4 x 4
  EXPECT_THAT(first_tensor(blocks, {{0, 1}, {0, 1}}, 1).touched, ElementsAre(12, 4, 12, 4));  // rows 0 and 1
  EXPECT_THAT(first_tensor(blocks, {{3, 4}, {0, 1}}, 1).touched, ElementsAre(12, 4, 12, 4));
  EXPECT_EQ(first_tensor(blocks, {{1, 2}, {0, 1}}, 1).touched.size(), 6U);
}

TEST(TouchedBlocks, StridesWithoutOverlapTouchOnlyWhatTheyRead) {
  TouchedBlocks blocks(window_nest(4, 8, 1, 2, 0, 4, "p q"));  // src: 7 x 15, every second row and column read
  const auto uses = first_tensor(blocks, {{1, 2}, {1, 2}}, 1);
  EXPECT_THAT(uses.touched, ElementsAre(16));
  EXPECT_THAT(uses.bytes, ElementsAre(16));
}

TEST(TouchedBlocks, AnEpiloguesOperandsAreTouchedInTheLastCallsOfReductionsAlone) {
  ScheduledNest nest = product_nest(8, 8, 8, 4, "m n k");
  nest.touches.tensors.push_back({.name = "bias", .index = {{.terms = {{1}}, .size = 8}}, .at_last = true});
  TouchedBlocks blocks(nest);
  EXPECT_EQ(blocks.of_call(std::vector<LoopRange>{{0, 1}, {0, 1}, {0, 1}}, ~0U).size(), 3U);
  EXPECT_EQ(blocks.of_call(std::vector<LoopRange>{{0, 1}, {0, 1}, {1, 2}}, ~0U).size(), 4U);
}

TEST(TouchedBlocks, LoopsThatDidNotChangeKeepTheirBlocks) {
  TouchedBlocks changing(product_nest(8, 8, 8, 4, "m n k")), anew(product_nest(8, 8, 8, 4, "m n k"));
  changing.of_call(std::vector<LoopRange>{{1, 2}, {0, 1}, {0, 1}}, ~0U);
  const std::vector<LoopRange> next{{1, 2}, {0, 1}, {1, 2}};
  const auto uses = changing.of_call(next, 1U << 2), all = anew.of_call(next, ~0U);
  ASSERT_EQ(uses.size(), all.size());
  for (std::size_t i = 0; i < uses.size(); ++i) EXPECT_EQ(uses[i].block, all[i].block);
}

}  // namespace
}  // namespace brickwork
