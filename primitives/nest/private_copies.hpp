// Private copies of an output for a parallel reduction: each part adds to its own copy, and the copies are summed at
// the end.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// Copy 0 is the output itself. The driver allocates the others, one after the other in memory.
template <class T>
struct PrivateCopies {
  T* output = nullptr;
  T* others = nullptr;
  std::int64_t size = 0;  // elements of one copy

  BRICKWORK_HOST_DEVICE T* of(std::int64_t copy) const { return copy == 0 ? output : others + (copy - 1) * size; }
};

// A league task that adds the other copies to the output. It adds them in order, so that the result has the same bits
// for any number of threads.
template <class T>
struct SumOfCopies {
  PrivateCopies<T> copies;
  std::int64_t count;

  // Elements per task: one per thread if the team has 32 or more, as on a device; else 2048, which stay in L1 from one
  // copy to the next.
  BRICKWORK_HOST_DEVICE static bool one_each(int threads) { return threads >= 32; }
  BRICKWORK_HOST_DEVICE static std::int64_t chunk(int threads) { return one_each(threads) ? threads : 2048; }
  std::int64_t tasks(int threads) const { return (copies.size + chunk(threads) - 1) / chunk(threads); }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void*) const {
    const std::int64_t begin = task * chunk(team.size());
    const std::int64_t end = begin + chunk(team.size()) < copies.size ? begin + chunk(team.size()) : copies.size;
    if (one_each(team.size())) {
      const std::int64_t i = begin + team.rank();
      if (i >= end) return;
      T sum = copies.output[i];
      for (std::int64_t copy = 1; copy < count; ++copy) sum += copies.of(copy)[i];
      copies.output[i] = sum;
      return;
    }
    for (std::int64_t copy = 1; copy < count; ++copy) {
      const T* const other = copies.of(copy);
      for (std::int64_t i = begin + team.rank(); i < end; i += team.size()) copies.output[i] += other[i];
    }
  }
};

}  // namespace brickwork
