#include "primitives/nest/team_shared.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/portable/brgemm_portable.hpp"

namespace brickwork {
namespace {

struct Counter {
  int value = 7;
};

// One thread of a team that shares memory; notes its writes and barriers.
struct ThreadOfTeam {
  int thread;
  std::string* done;
  Counter* memory;

  int rank() const { return thread; }
  void barrier() const { *done += '|'; }
  template <class S>
  S& shared() const {
    return *memory;
  }
};

TEST(TeamShared, OneThreadWritesBetweenTwoBarriersAndAllRead) {
  Counter memory;
  std::string done;
  std::vector<int> seen;
  for (const int thread : {0, 1, 2}) {
    const ThreadOfTeam team{thread, &done, &memory};
    TeamShared<Counter, ThreadOfTeam> shared(team);
    shared.update([&](Counter& counter) {
      counter.value += 1;
      done += 'w';
    });
    seen.push_back(shared.get().value);
  }
  EXPECT_EQ(done, "|w|||||");
  EXPECT_EQ(seen, std::vector<int>({8, 8, 8}));
}

TEST(TeamShared, WithoutSharedMemoryEachThreadHasItsOwn) {
  const OneThread team;
  TeamShared<Counter, OneThread> first(team), second(team);
  first.update([](Counter& counter) { counter.value = 1; });
  EXPECT_EQ(first.get().value, 1);
  EXPECT_EQ(second.get().value, 7);
}

}  // namespace
}  // namespace brickwork
