// What `--cache cold` means: before a call, other data are in every cache.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {

// Displaces every core's caches: the threads walk, each through its own share, four times through what their last
// levels hold together, and each at least four times through what its own L2 holds.
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

  // Zeros at first; every walk adds one to each.
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
