#include "experiments/harness/peaks/cache_evictor.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <map>

namespace brickwork {
namespace {

// An element that knows which thread touched it, and how often.
struct Touched {
  void operator+=(double) {
    ++times;
    thread = omp_get_thread_num();
  }

  int times = 0, thread = -1;
};

constexpr std::int64_t kMiB = 1 << 20;

TEST(CacheEvictor, TouchesEveryElementOnceWithEveryThread) {
  BasicCacheEvictor<Touched> evictor(3, {.l3_bytes = 9 * kMiB, .l3_caches = 1});
  for (int call = 1; call <= 2; ++call) {
    evictor();
    std::map<int, double> bytes;  // by thread
    for (const Touched& element : evictor.walked()) {
      ASSERT_EQ(element.times, call);
      bytes[element.thread] += sizeof(Touched);
    }
    EXPECT_EQ(bytes.size(), 3U);
    for (const auto& [thread, share] : bytes) EXPECT_GE(share, 0.99 * 4 * 9 * kMiB / 3) << thread;
  }
}

TEST(CacheEvictor, DisplacesDoubles) {
  CacheEvictor evictor(2, Machine{});
  evictor();
  evictor();
  EXPECT_TRUE(std::ranges::all_of(evictor.walked(), [](double x) { return x == 2; }));
}

TEST(CacheEvictor, WalksFourTimesThroughEveryCacheThatIsInUse) {
  const auto megabytes = [](int threads, const Machine& machine) {
    return static_cast<std::int64_t>(CacheEvictor(threads, machine).walked().size() * sizeof(double)) / kMiB;
  };
  EXPECT_EQ(megabytes(1, {.l2_bytes = kMiB, .l3_bytes = 9 * kMiB, .l3_caches = 1}), 4 * 9);
  EXPECT_EQ(megabytes(4, {.l2_bytes = kMiB, .l3_bytes = 9 * kMiB, .l3_caches = 1}), 4 * 9);
  // Two last-level caches, each shared by some of the cores.
  EXPECT_EQ(megabytes(4, {.l2_bytes = kMiB, .l3_bytes = 9 * kMiB, .l3_caches = 2}), 4 * 9 * 2);
  EXPECT_EQ(megabytes(1, {.l2_bytes = kMiB, .l3_bytes = 9 * kMiB, .l3_caches = 2}), 4 * 9);
  // All L2 caches together are larger than the last level, or there is no other level.
  EXPECT_EQ(megabytes(6, {.l2_bytes = 2 * kMiB, .l3_bytes = 9 * kMiB, .l3_caches = 1}), 4 * 6 * 2);
  EXPECT_EQ(megabytes(5, {.l2_bytes = 2 * kMiB}), 4 * 5 * 2);
  EXPECT_EQ(megabytes(1, {}), 4 * 8);  // nothing is known
}

TEST(Machine, CountsTheLastLevels) {
  EXPECT_EQ(machine().l3_caches > 0, machine().l3_bytes > 0);
  EXPECT_GE(machine().usable_cores, 1);
}

}  // namespace
}  // namespace brickwork
