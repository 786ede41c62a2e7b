#include "primitives/analysis/boxes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "primitives/analysis/footprint.hpp"
#include "primitives/analysis/testing/nests.hpp"
#include "primitives/analysis/testing/random_nest.hpp"

namespace brickwork {
namespace {

std::vector<Iteration> all_iterations(const ScheduledNest& nest) {
  std::vector<Iteration> all{{}};
  for (std::size_t l = 0; l < nest.levels.size(); ++l) {
    std::vector<Iteration> further;
    for (Iteration x : all) {
      for (x[l] = 0; x[l] < nest.levels[l].trips; ++x[l]) further.push_back(x);
    }
    all = further;
  }
  return all;
}

// The iterations of each loop, one combination after the other.
using Combinations = std::map<std::vector<std::int64_t>, int>;

void count(const Calls& calls, std::size_t loops, Combinations& counts) {
  std::vector<std::vector<std::int64_t>> combinations{{}};
  for (std::size_t loop = 0; loop < loops; ++loop) {
    std::vector<std::vector<std::int64_t>> further;
    for (const auto& combination : combinations) {
      for (std::int64_t i = calls[loop].begin; i < calls[loop].end; ++i) {
        further.push_back(combination);
        further.back().push_back(i);
      }
    }
    combinations = further;
  }
  for (const auto& combination : combinations) ++counts[combination];
}

TEST(CallsBetween, HoldEachCallOnceAndNoOther) {
  for (unsigned number = 0; number < 60; ++number) {
    std::mt19937 random(number);
    ScheduledNest nest = random_nest(random);
    if (number % 3 == 0) nest = share_of_a_thread(nest, 2);
    const std::vector<Iteration> all = all_iterations(nest);
    const std::size_t loops = nest.touches.loops.size();
    for (int draw = 0; draw < 10; ++draw) {
      std::size_t from = random() % all.size(), to = random() % all.size();
      if (from > to) std::swap(from, to);
      Combinations expected, found;
      for (std::size_t i = from; i <= to; ++i) count(calls_of(nest, {all[i], all[i]}), loops, expected);
      for (const Calls& calls : calls_between(nest, all[from], all[to])) count(calls, loops, found);
      EXPECT_EQ(found, expected) << to_string(nest);
    }
  }
}

TEST(CallsBetween, WholeIterationsOfALevelAreOneBox) {
  const ScheduledNest nest = nest_of(matrix_product(6, 7, 8), "i:3 j i k");
  EXPECT_EQ(calls_between(nest, {0, 0, 0, 0}, {1, 6, 2, 7}).size(), 1);
  EXPECT_EQ(calls_between(nest, {1, 2, 0, 0}, {1, 4, 2, 7}).size(), 1);
  EXPECT_EQ(calls_between(nest, {1, 2, 0, 1}, {1, 4, 2, 6}).size(), 5);
}

TEST(TripsAt, CountsIterationsThatHaveCalls) {
  const ScheduledNest nest = nest_of(matrix_product(7, 1, 1), "i:3 i j k");
  EXPECT_EQ(trips_at(nest, 0, {}), 3);
  EXPECT_EQ(trips_at(nest, 1, {1}), 3);
  EXPECT_EQ(trips_at(nest, 1, {2}), 1);
}

IntegerSet span(std::int64_t begin, std::int64_t end) { return IntegerSet({begin, end}); }

TEST(SizeOfUnion, CountsCommonElementsOnce) {
  EXPECT_EQ(size_of_union({}), 0);
  EXPECT_EQ(size_of_union({Product{}, Product{}}), 1);
  EXPECT_EQ(size_of_union({{span(0, 4), span(0, 4)}, {span(2, 6), span(2, 6)}}), 16 + 16 - 4);
  EXPECT_EQ(size_of_union({{span(0, 4), span(0, 4)}, {span(1, 2), span(3, 4)}}), 16);
  EXPECT_EQ(size_of_union({{span(1, 2), span(3, 4)}, {span(0, 4), span(0, 4)}}), 16);
  EXPECT_EQ(size_of_union({{span(0, 4), span(0, 9)}, {span(0, 4), span(3, 12)}}), 48);
  EXPECT_EQ(size_of_union({{span(0, 1), span(0, 2)}, {span(5, 6), span(0, 2)}, {span(0, 6), span(0, 1)}}), 8);
}

}  // namespace
}  // namespace brickwork
