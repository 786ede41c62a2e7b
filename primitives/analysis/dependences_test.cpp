#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/analysis/boxes.hpp"
#include "primitives/analysis/testing/brute_force.hpp"
#include "primitives/analysis/testing/difference.hpp"
#include "primitives/analysis/testing/nests.hpp"
#include "primitives/analysis/testing/random_nest.hpp"
#include "primitives/analysis/working_sets.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Analysis = Result<std::vector<Dependence>> (*)(const ScheduledNest&);

constexpr unsigned kNests = 600;

ScheduledNest numbered_nest(unsigned number) {
  std::mt19937 random(number);
  const ScheduledNest nest = random_nest(random);
  return number % 4 == 0 ? share_of_a_thread(nest, 2 + static_cast<int>(number / 4 % 3)) : nest;
}

Result<std::vector<Dependence>> by_isl(const ScheduledNest& nest) { return dependences_by_isl(nest); }

class EachAnalysis : public testing::TestWithParam<Analysis> {};

INSTANTIATE_TEST_SUITE_P(Dependences, EachAnalysis, testing::Values(dependences, by_isl),
                         [](const auto& analysis) { return analysis.index == 0 ? "ClosedForms" : "Isl"; });

TEST_P(EachAnalysis, FindsTheMatrixProductsWorkingSetsOfThePaper) {
  const auto found = GetParam()(nest_of(matrix_product(300, 100, 200), "i j k"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(working_set_sizes(*found), (Sizes{{5, 399}, {403, 20099}, {20302, 109700}}));
}

TEST(Dependences, OfManyIterationsAreFoundWithoutVisitingThem) {
  constexpr std::int64_t kM = 1 << 14, kN = 1 << 13, kK = 1 << 13;
  const auto found = dependences(nest_of(matrix_product(kM, kN, kK), "i j k"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(working_set_sizes(*found), (Sizes{{5, 2 * kK - 1},
                                              {2 * kK + 3, (kN - 1) + kK + (kN - 1) * kK},
                                              {kN + kK + 2 + kK * kN, (kM - 1) * kN + (kM - 1) * kK + kK * kN}}));
}

TEST_P(EachAnalysis, TakesFirstAndLastIterationOfAParallelLevel) {
  // One iteration of i touches 20 elements of A, 200 of B and 10 of C. Two share B.
  const auto found = GetParam()(nest_of(matrix_product(30, 10, 20), "{i} j k"));
  ASSERT_TRUE(found) << found.reason();
  const Dependence& crossing = (*found)[1];
  EXPECT_EQ(crossing.level, 0);
  EXPECT_TRUE(crossing.crosses_threads);
  EXPECT_EQ(crossing.nearest, 2 * 30 * 30 / 2 + 200);
  EXPECT_EQ(crossing.farthest, crossing.nearest);
  EXPECT_EQ(crossing.farthest_bytes, 4 * crossing.farthest);
}

TEST_P(EachAnalysis, FindsTheFarthestUseWhereInnerLevelsStandElsewhere) {
  // Rows in windows of three, after two rows of padding. The first element is read in calls (0, 2), (1, 1) and (2, 0).
  // Each call has an element of B.
  const NestTouches touches{
      {{"oj", 5}, {"r", 3}},
      {{"row", 5, 0}, {"window", 3, 1}},
      {{"A", Touch::read, {{{{0}, {1}}, -2, 3}}}, {"B", Touch::read, {{{{0}}, 0, 5}, {{{1}}, 0, 3}}}}};
  const auto found = GetParam()(nest_of(touches, "oj r"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(working_set_sizes(*found), (Sizes{{1 + 3, 2 + 5}}));
}

TEST_P(EachAnalysis, CountsTheIterationsThatTheLastBlockHas) {
  // Only the last block's two iterations touch elements: the first one, and the first two.
  const NestTouches touches{{{"i", 5}}, {{"row", 5, 0}, {"window", 2}}, {{"A", Touch::read, {{{{0}, {1}}, -4, 2}}}}};
  for (const char* schedule : {"i:3 i", "i:3 {i}"}) {
    const auto found = GetParam()(nest_of(touches, schedule));
    ASSERT_TRUE(found) << found.reason();
    ASSERT_EQ(found->size(), 1);
    EXPECT_EQ(found->front().level, 1);
    EXPECT_EQ(found->front().farthest, found->front().crosses_threads ? (2 - 1) * 2 / 2 + 1 : 1);
  }
}

TEST_P(EachAnalysis, SaysThatANumberExceeds64Bits) {
  // Each call touches nearly 2^62 bytes of each of three tensors.
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  NestTouches touches{{{"i", 3}}, {{"row", kMany - 1}, {"column", kMany}}, {}};
  for (const char* name : {"A", "B", "C"}) {
    touches.tensors.push_back({name, Touch::read, {{{{0, kMany}, {1}}, 0, kMany * kMany}}});
  }
  const auto found = GetParam()(nest_of(touches, "i"));
  EXPECT_EQ(found.status(), Status::misfit);
  EXPECT_THAT(found.reason(), testing::EndsWith("a working set exceeds 64 bits"));
}

TEST(Dependences, AreComparedOnNestsOfManyForms) {
  int five_loops = 0, two_levels_of_a_loop = 0, two_parallel = 0, windows = 0, phantoms = 0, shares_with_gaps = 0;
  for (unsigned number = 0; number < kNests; ++number) {
    const ScheduledNest nest = numbered_nest(number);
    five_loops += nest.touches.loops.size() == 5;
    two_levels_of_a_loop += nest.levels.size() > nest.touches.loops.size();
    two_parallel += std::ranges::count(nest.levels, true, &ScheduledLevel::parallel) == 2;
    windows += std::ranges::any_of(nest.touches.tensors, [](const TouchedTensor& tensor) {
      return std::ranges::any_of(tensor.index, [](const TouchedIndex& index) {
        return index.terms.size() > 1 && index.offset < 0 && index.terms[0].factor > 1;
      });
    });
    std::int64_t iterations = 1, calls = 0;
    for (const ScheduledLevel& level : nest.levels) iterations *= level.trips;
    const std::vector<Calls> boxes = calls_between(nest, {}, whole_box(nest).last);
    for (const Calls& box : boxes) {
      std::int64_t inside = 1;
      for (std::size_t l = 0; l < nest.touches.loops.size(); ++l) inside *= box[l].size();
      calls += inside;
    }
    phantoms += iterations > calls;
    shares_with_gaps += boxes.size() > 1;
  }
  EXPECT_GT(five_loops, 60);
  EXPECT_GT(two_levels_of_a_loop, 200);
  EXPECT_GT(two_parallel, 20);
  EXPECT_GT(windows, 40);
  EXPECT_GT(phantoms, 50);
  EXPECT_GT(shares_with_gaps, 10);
}

TEST(Dependences, ByClosedFormsAreThoseByBruteForceOn600RandomNests) {
  for (unsigned number = 0; number < kNests; ++number) {
    const ScheduledNest nest = numbered_nest(number);
    EXPECT_EQ(difference(dependences_by_brute_force(nest), dependences(nest)), "") << number << "\n" << to_string(nest);
  }
}

TEST(Dependences, ByIslAreThoseByBruteForceOn60RandomNests) {
  for (unsigned number = kNests; number < kNests + 60; ++number) {
    const ScheduledNest nest = numbered_nest(number);
    EXPECT_EQ(difference(dependences_by_brute_force(nest), dependences_by_isl(nest)), "") << number << "\n"
                                                                                          << to_string(nest);
  }
}

TEST(Dependences, OfAConvolutionAreEqualByClosedFormsAndByIsl) {
  const ScheduledNest nest = nest_of(convolution(), "n kb:2 cb:2 {kb} oj:10 cb oj oi");
  const auto expected = by_isl(nest);
  ASSERT_TRUE(expected) << expected.reason();
  EXPECT_EQ(difference(*expected, dependences(nest)), "");
}

TEST(Dependences, HaveTheKindThatOrdersTheirIterations) {
  NestTouches touches{{{"i", 2}}, {}, {{"A", Touch::read}, {"A", Touch::write}, {"A", Touch::reduce}}};
  const auto found = dependences(nest_of(touches, "i"));
  ASSERT_TRUE(found);
  std::vector<DependenceKind> kinds;
  for (const Dependence& dependence : *found) kinds.push_back(dependence.kind);
  using enum DependenceKind;
  EXPECT_EQ(kinds, (std::vector{rar, war, war, raw, waw, raw, raw, waw, raw}));
}

TEST(Dependences, AWrongOffsetOfADeclarationIsFound) {
  NestTouches touches = convolution();
  touches.loops[0].extent = touches.axes[0].size = touches.tensors[0].index[0].size = touches.tensors[2].index[0].size =
      2;
  const auto right = dependences(nest_of(touches, "n kb cb oj oi"));
  touches.tensors[0].index[2].offset = 0;
  ASSERT_TRUE(right);
  EXPECT_THAT(difference(*right, dependences(nest_of(touches, "n kb cb oj oi"))), HasSubstr("but must be"));
}

TEST(Dependences, TheComparisonFindsEachWrongNumberAndWhatIsMissing) {
  const auto right = dependences(nest_of(matrix_product(3, 4, 5), "i j k"));
  ASSERT_TRUE(right);
  EXPECT_EQ(difference(*right, right), "");
  const auto finds = [&](const auto& plant) {
    std::vector<Dependence> wrong = *right;
    plant(wrong);
    EXPECT_NE(difference(*right, wrong), "");
  };
  finds([](auto& d) { d[1].nearest += 1; });
  finds([](auto& d) { d[1].farthest -= 1; });
  finds([](auto& d) { d[2].nearest_bytes += 1; });
  finds([](auto& d) { d[2].farthest_bytes += 1; });
  finds([](auto& d) { d[0].level = 2; });
  finds([](auto& d) { d[0].source = 2; });
  finds([](auto& d) { d[0].target = 2; });
  finds([](auto& d) { d[0].kind = DependenceKind::waw; });
  finds([](auto& d) { d[0].crosses_threads = true; });
  finds([](auto& d) { d.pop_back(); });
  finds([](auto& d) { d.push_back(d[0]); });
  EXPECT_EQ(difference(*right, Result<std::vector<Dependence>>::misfit("no")), "no");
}

TEST(Dependences, AStrideThatAllTensorsOfANameHaveLeavesNoGaps) {
  constexpr std::int64_t kRows = 1'000'000;
  NestTouches touches{{{"i", 2}}, {{"row", kRows}}, {}};
  for (const std::int64_t offset : {-7, 5})
    touches.tensors.push_back({"A", Touch::read, {{{{0, 4}}, offset, 4 * kRows}}});
  const auto found = dependences(nest_of(touches, "i"));
  ASSERT_TRUE(found) << found.reason();
  // From 1 and from 5, both in steps of 4.
  EXPECT_EQ(found->front().nearest, kRows);
}

TEST(Dependences, TooManyGapsAreAMisfit) {
  // Rows of two elements, three apart.
  constexpr std::int64_t kRows = 100'000;
  const NestTouches touches{
      {{"i", 2}}, {{"row", kRows}, {"column", 2}}, {{"A", Touch::read, {{{{0, 3}, {1}}, 0, 4 * kRows}}}}};
  EXPECT_EQ(dependences(nest_of(touches, "i")).reason(),
            "the nest has no closed form: the values of an index fall into more than 65536 intervals");
}

TEST(Dependences, WhatIsTooMuchForIslIsAMisfit) {
  EXPECT_EQ(dependences_by_isl(nest_of(matrix_product(300, 100, 200), "i j k"), 20000).reason(),
            "isl needs more than 20000 operations for the nest");
}

}  // namespace
}  // namespace brickwork
