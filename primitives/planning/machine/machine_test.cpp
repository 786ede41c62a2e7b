#include "primitives/planning/machine/machine.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <set>

#include "primitives/planning/machine/bound_to_one.hpp"

namespace brickwork {
namespace {

TEST(DefaultThreads, AreTheCoresThatTheQuotaKeepsBusy) {
  EXPECT_EQ((Machine{.usable_cores = 4}.default_threads()), 4);
  const std::pair<double, int> cases[] = {{8, 4}, {4, 4}, {3.99, 3}, {2, 2}, {1.5, 1}, {1, 1}, {0.5, 1}};
  for (const auto& [quota, threads] : cases) {
    EXPECT_EQ((Machine{.usable_cores = 4, .cpu_quota = quota}.default_threads()), threads) << quota;
  }
}

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

TEST(CpusOfTeam, AreHardwareThreadsThatTheTeamRunsOn) {
  omp_set_num_threads(2);
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  const auto usable = static_cast<std::size_t>(machine().hardware_threads);
  for (const int threads : {1, 2, 100000}) {
    const auto cpus = cpus_of_team(threads);
    EXPECT_EQ(cpus.size(), std::min(usable, static_cast<std::size_t>(threads)));
    EXPECT_EQ(std::set(cpus.begin(), cpus.end()).size(), cpus.size());
    for (const int cpu : cpus) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpu), &allowed));
  }
  const BoundToOne bound;
  EXPECT_EQ(cpus_of_team(2).size(), 1U);
}

}  // namespace
}  // namespace brickwork
