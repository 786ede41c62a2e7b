#include "primitives/nest/league.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <type_traits>
#include <vector>

#include "primitives/nest/testing/host_spaces.hpp"
#include "primitives/nest/testing/on_one_thread.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Space>
class League : public testing::Test {};

TYPED_TEST_SUITE(League, HostSpaces);

std::vector<int> team_sizes(int most) {
  std::vector<int> sizes;
  for (int size = 1; size < most; size *= 2) sizes.push_back(size);
  sizes.push_back(most);
  return sizes;
}

TYPED_TEST(League, ReadsTheCallersObjectsOnAHost) {
  struct NoneOfKokkos {};
  EXPECT_TRUE((std::is_same_v<Kept<TypeParam, std::string>, const std::string&>));
  EXPECT_TRUE((std::is_same_v<Kept<NoneOfKokkos, std::string>, std::string>));
}

TYPED_TEST(League, EveryThreadOfATeamRunsEveryTask) {
  for (const int threads : team_sizes(TypeParam().concurrency())) {
    for (const std::int64_t tasks : {1, 2, 37}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(tasks * threads));
      parallel_league(TypeParam(), tasks, threads, 0, [&](const auto& team, std::int64_t task, void* scratch) {
        EXPECT_EQ(team.size(), threads);
        EXPECT_EQ(scratch, nullptr);
        ++done[static_cast<std::size_t>(task * threads + team.rank())];
      });
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

// A team fills its scratch together and reads it after a barrier; scratch of 100 bytes and of 1 MiB.
TYPED_TEST(League, ATeamSharesItsScratch) {
  for (const int threads : team_sizes(TypeParam().concurrency())) {
    for (const std::int64_t bytes : {100, 1 << 20}) {
      std::atomic<int> wrong = 0;
      parallel_league(TypeParam(), 9, threads, bytes, [&](const auto& team, std::int64_t task, void* scratch) {
        auto* const mine = static_cast<char*>(scratch);
        if (reinterpret_cast<std::uintptr_t>(mine) % 64 != 0) ++wrong;
        for (std::int64_t i = team.rank(); i < bytes; i += team.size()) mine[i] = static_cast<char>(task);
        team.barrier();
        for (std::int64_t i = 0; i < bytes; ++i) wrong += mine[i] != static_cast<char>(task);
        team.barrier();
      });
      EXPECT_EQ(wrong, 0) << threads << " threads, " << bytes << " bytes";
    }
  }
}

TYPED_TEST(League, RefusesTooManyThreadsAndTooMuchScratch) {
  const auto run = [](int threads, std::int64_t bytes) {
    parallel_league(TypeParam(), 2, threads, bytes, [](const auto&, std::int64_t, void*) {});
  };
  const int most = TypeParam().concurrency();
  EXPECT_THAT([&] { run(most + 1, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("threads per task requested")));
  EXPECT_THAT([&] { run(1, std::int64_t{1} << 40); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bytes of scratch requested")));
}

TEST(LeagueOfTeams, IsRefusedWithinAParallelRegion) {
  if (Kokkos::DefaultHostExecutionSpace().concurrency() < 2) GTEST_SKIP() << "there are no teams of several threads";
  std::string refused;
  on_one_thread([&] {
    try {
      parallel_league(Kokkos::DefaultHostExecutionSpace(), 1, 2, 0, [](const auto&, std::int64_t, void*) {});
    } catch (const std::invalid_argument& e) {
      refused = e.what();
    }
  });
  EXPECT_THAT(refused, HasSubstr("2 threads per task within a parallel region requested, but at most 1 are available"));
}

}  // namespace
}  // namespace brickwork
