#include "primitives/analysis/scheduled_nest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/analysis/testing/nests.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

void expect_range(const LoopRange& range, std::int64_t begin, std::int64_t end) {
  EXPECT_EQ(range.begin, begin);
  EXPECT_EQ(range.end, end);
}

TEST(ScheduledNest, HasALevelsTripsWithinTheLevelOutside) {
  const ScheduledNest nest = nest_of(convolution(), "{n kb} oj:10 cb:3 oj oi cb");
  std::vector<std::int64_t> trips;
  for (const ScheduledLevel& level : nest.levels) trips.push_back(level.trips);
  EXPECT_EQ(trips, (std::vector<std::int64_t>{28, 4, 6, 2, 10, 2, 3}));
  EXPECT_TRUE(nest.levels[1].parallel);
  EXPECT_FALSE(nest.levels[2].parallel);
}

TEST(ScheduledNest, ALevelsIterationEndsWithTheOneOutsideAndWithTheLoop) {
  const ScheduledNest nest = nest_of({{{"i", 10, LoopKind::independent, true}}, {}, {}}, "i:4 i:3");
  const auto range = [&](std::int64_t outer, std::int64_t inner, std::size_t fixed) {
    const std::int64_t x[] = {outer, inner};
    return nest.iterations(0, x, fixed);
  };
  expect_range(range(0, 0, 2), 0, 3);
  expect_range(range(0, 1, 2), 3, 4);
  expect_range(range(2, 0, 2), 8, 10);
  EXPECT_EQ(range(2, 1, 2).size(), 0);
  expect_range(range(1, 0, 1), 4, 8);
  expect_range(range(0, 0, 0), 0, 10);
}

TEST(ScheduledNest, WrongDeclarationsAndSchedulesAreMisfits) {
  NestTouches touches = matrix_product(2, 2, 2);
  EXPECT_THAT(scheduled(touches, parse_loop_schedule("i j")).reason(), HasSubstr("the loop 'k' is missing"));
  EXPECT_THAT(scheduled(touches, parse_loop_schedule("i j {k}")).reason(), HasSubstr("cannot run in parallel"));
  touches.axes[0].block = 2;
  const auto nest = scheduled(touches, parse_loop_schedule("i j k"));
  EXPECT_EQ(nest.status(), Status::misfit);
  EXPECT_THAT(nest.reason(), HasSubstr("axis 'm'"));
}

TEST(ShareOfAThread, DividesTheParallelLevels) {
  const ScheduledNest nest = nest_of(convolution(), "{n kb} cb oj oi");
  const auto trips = [&](int threads) {
    const ScheduledNest share = share_of_a_thread(nest, threads);
    EXPECT_FALSE(share.levels[0].parallel || share.levels[1].parallel);
    EXPECT_EQ(share.levels[2].trips, 4);
    return std::pair(share.levels[0].trips, share.levels[1].trips);
  };
  EXPECT_EQ(trips(1), std::pair(28L, 4L));
  EXPECT_EQ(trips(5), std::pair(6L, 4L));
  EXPECT_EQ(trips(56), std::pair(1L, 2L));
  EXPECT_EQ(trips(1000), std::pair(1L, 1L));
}

}  // namespace
}  // namespace brickwork
