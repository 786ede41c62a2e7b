// Implements `--cache cold`: fills every cache with other data before a call.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

// Displaces the data in every core's caches. The threads walk through a buffer, each through its own share. Its size is
// four times that of all their last-level caches or of all their L2 caches, whichever is larger, and at least 32 MiB.
template <class Element>
class BasicCacheEvictor {
 public:
  BasicCacheEvictor(int threads, const Machine& machine)
      : threads_(threads), walked_(static_cast<std::size_t>(bytes_to_walk(threads, machine)) / sizeof(Element)) {}

  void operator()() {
    Element* const data = walked_.data();
    const auto size = static_cast<std::ptrdiff_t>(walked_.size());
#pragma omp parallel for simd num_threads(threads_) schedule(static)
    for (std::ptrdiff_t i = 0; i < size; ++i) data[i] += 1.0;
  }

  // Elements start at 0; every walk adds 1 to each.
  const AlignedBuffer<Element>& walked() const { return walked_; }

 private:
  static std::int64_t bytes_to_walk(int threads, const Machine& machine) {
    return 4 * std::max(machine.cache_bytes(threads), std::int64_t{8} << 20);
  }

  int threads_;
  AlignedBuffer<Element> walked_;
};

using CacheEvictor = BasicCacheEvictor<double>;

}  // namespace brickwork
