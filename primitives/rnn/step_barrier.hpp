// Where the threads of a parallel region wait for each other after each of many short steps.
#pragma once
#include <atomic>
#include <thread>

#include "hwy/cache_control.h"

namespace brickwork {

// They look rather than sleep: std::barrier calls the kernel after some hundred nanoseconds, which made steps of 10
// microseconds two to three times as long. Where there are more threads than cores they let each other run.
class StepBarrier {
 public:
  explicit StepBarrier(int threads) : threads_(threads) {}

  void wait() {
    constexpr int kLooks = 1 << 12;
    const unsigned step = step_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      step_.store(step + 1, std::memory_order_release);
      return;
    }
    for (int looks = 0; step_.load(std::memory_order_acquire) == step; ++looks) {
      if (looks < kLooks) {
        hwy::Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  const int threads_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<unsigned> step_ = 0;
};

}  // namespace brickwork
