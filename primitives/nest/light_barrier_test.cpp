#include "primitives/nest/light_barrier.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace brickwork {
namespace {

// Includes more threads than many machines have cores.
TEST(LightBarrier, EveryThreadSeesAllEarlierWrites) {
  constexpr int kMeetings = 500;
  for (const int threads : {1, 2, 3, 9}) {
    LightBarrier barrier(threads);
    std::vector<int> written(static_cast<std::size_t>(threads));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> all;
    for (int thread = 0; thread < threads; ++thread) {
      all.emplace_back([&, thread] {
        for (int meeting = 1; meeting <= kMeetings; ++meeting) {
          written[static_cast<std::size_t>(thread)] = meeting;
          barrier.wait();
          for (const int value : written) wrong += value != meeting;
          barrier.wait();
        }
      });
    }
    for (auto& thread : all) thread.join();
    EXPECT_EQ(wrong, 0) << threads << " threads";
  }
}

}  // namespace
}  // namespace brickwork
