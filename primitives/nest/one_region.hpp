// One parallel region in which the host's threads run many short steps and meet in between.
#pragma once
#include <cstdint>

#include "primitives/nest/league.hpp"
#include "primitives/nest/light_barrier.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

// The part of 0 .. size - 1 that belongs to the `i`-th of `parts` equal parts.
inline LoopRange equal_part(std::int64_t size, std::int64_t i, std::int64_t parts) {
  return {size * i / parts, size * (i + 1) / parts};
}

// on_thread(thread, threads, meet) on all threads of the host; meet() returns when all threads have called it. A thread
// has the same number in every region, so that what it reads again may still be in its caches.
template <class OnThread>
void in_one_region(const OnThread& on_thread) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const int threads = Space().concurrency();
  LightBarrier barrier(threads);
  const auto meet = [&] { barrier.wait(); };
  const auto task = [&](const auto& team, std::int64_t, void*) { on_thread(std::int64_t{team.rank()}, threads, meet); };
  parallel_league(Space(), 1, threads, 0, task);
}

}  // namespace brickwork
