#include "machine.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>

#include "testing/bound_to_one.hpp"

namespace brickwork {
namespace {

TEST(OpenmpTeam, HasTheThreadsThatRun) {
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(openmp_team().threads, threads);
  }
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  EXPECT_EQ(openmp_team().threads, 1);
  omp_set_max_active_levels(levels);
}

TEST(OpenmpTeam, CountsTheCoresThatItsThreadsMayRunOn) {
  omp_set_num_threads(2);
  const int free = openmp_team().cores;
  EXPECT_GE(free, std::min(2, machine().usable_cores));
  {
    const BoundToOne bound;
    EXPECT_EQ(openmp_team().cores, 1);
  }
  EXPECT_EQ(openmp_team().cores, free);
}

}  // namespace
}  // namespace brickwork
