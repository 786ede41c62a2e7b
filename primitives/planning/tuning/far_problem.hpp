// Problems for a calibration, with tensors that no cache holds.
#pragma once
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "primitives/op/size_table.hpp"

namespace brickwork {

// The problem `sizes` with images_of_a_thread images (or rows) per thread.
template <class Problem>
Problem far_problem(const char* sizes, std::int64_t images_of_a_thread) {
  constexpr std::int64_t kMostThreads = 8;  // work for 8 threads exceeds the caches of more threads, too
  auto p = parse_problem<Problem>(sizes);
  p.N = images_of_a_thread * std::min<std::int64_t>(kMostThreads, Kokkos::DefaultHostExecutionSpace().concurrency());
  return p;
}

}  // namespace brickwork
