// A reduction in parallel: every part of it adds to a copy of the output, and the copies are summed in the end.
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace brickwork {

// Copy 0 is the output itself; the driver brings memory for the others, one behind the other.
template <class T>
struct PrivateCopies {
  T* output = nullptr;
  T* others = nullptr;
  std::int64_t size = 0;  // elements of one copy

  BRICKWORK_HOST_DEVICE T* of(std::int64_t copy) const { return copy == 0 ? output : others + (copy - 1) * size; }
};

// The task of a league that adds the other copies to the output, always in the order of the copies: the same bits
// whatever the threads.
template <class T>
struct SumOfCopies {
  static constexpr std::int64_t kChunk = 2048;  // elements a task: they stay in L1 from one copy to the next

  PrivateCopies<T> copies;
  std::int64_t count;

  std::int64_t tasks() const { return (copies.size + kChunk - 1) / kChunk; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void*) const {
    const std::int64_t begin = task * kChunk;
    const std::int64_t end = begin + kChunk < copies.size ? begin + kChunk : copies.size;
    for (std::int64_t copy = 1; copy < count; ++copy) {
      const T* const other = copies.of(copy);
      for (std::int64_t i = begin + team.rank(); i < end; i += team.size()) copies.output[i] += other[i];
    }
  }
};

}  // namespace brickwork
