#include "primitives/analysis/integer_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

namespace brickwork {
namespace {

using Integers = std::set<std::int64_t>;

struct Term {
  std::int64_t factor;
  LoopRange range;
};
using Terms = std::vector<Term>;

IntegerSet set_of_sums(std::int64_t offset, const Terms& terms, const LoopRange& within) {
  IntegerSet set({offset, offset + 1});
  for (const auto& [factor, range] : terms) set.add_multiples(factor, range);
  set.cut_to(within);
  return set;
}

Integers integers(const IntegerSet& set) {
  Integers all;
  for (const LoopRange& interval : set.intervals()) {
    for (std::int64_t i = interval.begin; i < interval.end; ++i) all.insert(i);
  }
  return all;
}

Integers sums(std::int64_t offset, const Terms& terms, const LoopRange& within) {
  Integers all{offset};
  for (const auto& [factor, range] : terms) {
    Integers further;
    for (const std::int64_t sum : all) {
      for (std::int64_t k = range.begin; k < range.end; ++k) further.insert(sum + factor * k);
    }
    all = further;
  }
  std::erase_if(all, [&](std::int64_t sum) { return sum < within.begin || sum >= within.end; });
  return all;
}

TEST(IntegerSet, OverlappingMultiplesAreOneInterval) {
  const auto rows_of_windows = set_of_sums(-1, Terms{{1, {0, 3}}, {2, {0, 56}}}, {0, 112});
  ASSERT_EQ(rows_of_windows.intervals().size(), 1);
  EXPECT_EQ(rows_of_windows.size(), 112);
  EXPECT_EQ(set_of_sums(0, Terms{{1, {0, 2}}, {3, {0, 4}}}, {0, 100}).intervals().size(), 4);
  EXPECT_TRUE(IntegerSet().empty());
}

TEST(IntegerSet, HasAtMost65536Intervals) {
  IntegerSet set({0, 2});
  set.add_multiples(3, {0, 1 << 8});
  set.add_multiples(1000, {0, 1 << 8});
  EXPECT_EQ(set.intervals().size(), 1 << 16);
  EXPECT_THROW(set.add_multiples(1'000'000, {0, 2}), std::overflow_error);
}

TEST(IntegerSet, IsThatOfAllSums) {
  std::mt19937 random(1);
  const auto up_to = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const auto draw = [&](Integers& expected) {
    Terms terms;
    std::int64_t factor = 1;
    for (std::int64_t count = up_to(0, 3); count > 0; --count) {
      factor += up_to(0, 4);
      const std::int64_t begin = up_to(0, 3);
      terms.push_back({factor, {begin, begin + up_to(1, 5)}});
    }
    const std::int64_t offset = up_to(-9, 9), begin = up_to(-5, 5);
    const LoopRange within{begin, begin + up_to(1, 50)};
    expected = sums(offset, terms, within);
    return set_of_sums(offset, terms, within);
  };
  int several = 0;
  for (int i = 0; i < 2000; ++i) {
    Integers expected, others;
    const IntegerSet set = draw(expected), other = draw(others);
    ASSERT_EQ(integers(set), expected);
    EXPECT_EQ(set.size(), std::ssize(expected));
    EXPECT_EQ(set.empty(), expected.empty());
    Integers common;
    std::ranges::set_intersection(expected, others, std::inserter(common, common.end()));
    EXPECT_EQ(set.meets(other), !common.empty());
    EXPECT_EQ(set.contains(other), common == others);
    EXPECT_EQ(set == other, expected == others);
    for (std::size_t k = 1; k < set.intervals().size(); ++k) {
      EXPECT_GT(set.intervals()[k].begin, set.intervals()[k - 1].end);
    }
    several += set.intervals().size() > 1;
  }
  EXPECT_GT(several, 500);
}

}  // namespace
}  // namespace brickwork
