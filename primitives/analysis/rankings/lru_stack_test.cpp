#include "primitives/analysis/rankings/lru_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace brickwork {
namespace {

TEST(LruStack, AFirstUseComesFromMemoryAndARepeatedOneFromL1) {
  LruStack stack({100, 1000, 10000});
  EXPECT_EQ(stack.use(7, 50), CachePlace::memory);
  EXPECT_EQ(stack.use(7, 50), CachePlace::l1);
}

TEST(LruStack, ABlockFallsToTheCacheThatHoldsWhatWasUsedSince) {
  LruStack stack({100, 200, 300});
  for (std::uint64_t block = 0; block < 3; ++block) stack.use(block, 50);
  EXPECT_EQ(stack.use(0, 50), CachePlace::l2);  // 1 and 2 fill L1
  EXPECT_EQ(stack.use(2, 50), CachePlace::l1);
  for (std::uint64_t block = 3; block < 7; ++block) stack.use(block, 50);
  EXPECT_EQ(stack.use(0, 50), CachePlace::l3);  // 2 to 6: 250 bytes
  EXPECT_EQ(stack.use(1, 50), CachePlace::memory);
}

TEST(LruStack, ABlockThatIsLargerThanACacheIsNeverInIt) {
  LruStack stack({100, 200, 300});
  stack.use(1, 150);
  EXPECT_EQ(stack.use(1, 150), CachePlace::l2);
  stack.use(2, 400);
  EXPECT_EQ(stack.use(2, 400), CachePlace::memory);
}

TEST(LruStack, AThreadsPartOfL3ThatIsSmallerThanL2AddsNothing) {
  LruStack stack({100, 200, 50});
  stack.use(1, 100);
  stack.use(2, 100);
  EXPECT_EQ(stack.use(1, 100), CachePlace::l2);
  stack.use(3, 150);
  EXPECT_EQ(stack.use(1, 100), CachePlace::memory);
}

// Searches the list of all blocks for each use.
class PlainLru {
 public:
  CachePlace use(std::uint64_t block, std::int64_t bytes, const std::array<std::int64_t, 3>& sizes) {
    std::int64_t since = 0;
    const auto found = std::ranges::find_if(used_, [&](const auto& other) {
      since += other.second;
      return other.first == block;
    });
    std::size_t place = found == used_.end() ? 3 : 0;
    while (place < 3 && since > sizes[place]) ++place;
    if (found != used_.end()) used_.erase(found);
    used_.emplace_front(block, bytes);
    return static_cast<CachePlace>(place);
  }

 private:
  std::list<std::pair<std::uint64_t, std::int64_t>> used_;
};

TEST(LruStack, AgreesWithAPlainListOnRandomUses) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const std::array<std::int64_t, 3> sizes{static_cast<std::int64_t>(random() % 500),
                                            500 + static_cast<std::int64_t>(random() % 1000), 4000};
    LruStack stack(sizes);
    PlainLru plain;
    for (int use = 0; use < 3000; ++use) {
      const std::uint64_t block = random() % (random() % 2 == 0 ? 20 : 800) * 0x100000001U;
      const auto bytes = static_cast<std::int64_t>(block % 61);
      ASSERT_EQ(stack.use(block, bytes), plain.use(block, bytes, sizes)) << round << ' ' << use;
    }
  }
}

}  // namespace
}  // namespace brickwork
