#include "experiments/harness/peaks/memory_traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/testing/only_target.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kSizes[] = {0, 1, 127, 128, 1000, 20'000};  // floats

TEST(MemoryTraffic, ReadsAndWritesEveryElementOnce) {
  for_every_target([](const char* name) {
    for (const int threads : {1, 2, 3})
      for (const std::int64_t read : kSizes)
        for (const std::int64_t written : kSizes)
          for (const bool past_caches : {false, true}) {
            MemoryTraffic traffic(threads, read * 4, written * 4);
            EXPECT_EQ(traffic.isa(), name);
            ASSERT_EQ(std::ssize(traffic.read()), read);
            ASSERT_EQ(std::ssize(traffic.written()), written);
            std::ranges::fill(traffic.read(), 1.0F);
            std::ranges::fill(traffic.written(), -1.0F);
            ASSERT_EQ(traffic.run(past_caches), static_cast<float>(read)) << name << ", " << threads << " threads";
            ASSERT_EQ(std::ranges::count(traffic.written(), -1.0F), 0) << name << ": " << read << ", " << written;
          }
  });
}

TEST(MemoryTraffic, LeavesNoElementOut) {
  for (const std::int64_t written : {0, 100, 900}) {
    MemoryTraffic traffic(2, 300 * 4, written * 4);
    for (std::size_t i = 0; i < traffic.read().size(); ++i) {
      std::ranges::fill(traffic.read(), 0.0F);
      traffic.read()[i] = 1;
      EXPECT_EQ(traffic.run(), 1) << i;
    }
  }
}

TEST(MemoryTraffic, ReadsTheFirstBytesAgain) {
  for (const int threads : {1, 2, 3}) {
    MemoryTraffic traffic(threads, 1000 * 4, 0, {.bytes = 300 * 4, .times = 2});
    for (std::size_t i = 0; i < traffic.read().size(); ++i) {
      std::ranges::fill(traffic.read(), 0.0F);
      traffic.read()[i] = 1;
      EXPECT_EQ(traffic.run(), i < 300 ? 3 : 1) << i;
    }
  }
}

TEST(MemoryTraffic, DoesNotStorePastTheCachesWithoutWrites) { EXPECT_FALSE(MemoryTraffic(1, 4096, 0).past_caches()); }

}  // namespace
}  // namespace brickwork
