// Measures the memory's bandwidth with STREAM's triad, in the same run as the contenders that are judged by it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/harness/run/fastest.hpp"
#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {

// A loop a[i] = b[i] + 3 * c[i] on `threads` threads, and a name for how it stores.
template <class Element>
struct TriadLoop {
  std::string stores;
  void (*run)(Element* a, const Element* b, const Element* c, std::ptrdiff_t size, int threads);
};

template <class Element>
void triad(Element* a, const Element* b, const Element* c, std::ptrdiff_t size, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < size; ++i) a[i] = b[i] + 3.0 * c[i];
}

// Stores past the caches: a's lines are not read before they are overwritten.
void triad_past_caches(double* a, const double* b, const double* c, std::ptrdiff_t size, int threads);

// Counts bytes as STREAM does: two reads and one write per element, whatever else the stores move. Uses the fastest of
// the loops: two cores of a Zen 5 move 45 GB/s with stores past the caches and 34 GB/s without; on other processors it
// may be the other way round. A test passes elements that count their reads, writes and flops.
template <class Element>
class BasicStreamTriad {
 public:
  BasicStreamTriad(int threads, std::int64_t last_level_bytes, const std::vector<TriadLoop<Element>>& loops)
      : threads_(threads),
        a_(static_cast<std::size_t>(array_bytes(last_level_bytes)) / sizeof(Element)),
        b_(a_.size()),
        c_(a_.size()) {
    std::ranges::fill(b_, Element{1.0});
    std::ranges::fill(c_, Element{2.0});
    loop_ = loops.front();
    if (loops.size() > 1) loop_ = loops[fastest(loops.size(), [&](std::size_t i) { run(loops[i]); })];
  }

  void run() { run(loop_); }

  double flop() const { return 2.0 * static_cast<double>(a_.size()); }
  double bytes() const { return 3.0 * sizeof(Element) * static_cast<double>(a_.size()); }
  const std::string& stores() const { return loop_.stores; }
  const AlignedBuffer<Element>& result() const { return a_; }

 private:
  static constexpr std::int64_t kMiB = std::int64_t{1} << 20;

  // Each array is four times the last-level cache, as STREAM asks, and at least 16 MiB. The three arrays together are
  // at most 256 MiB or four times the last-level cache, whichever is larger.
  static std::int64_t array_bytes(std::int64_t last_level_bytes) {
    const std::int64_t most = std::max(256 * kMiB, 4 * last_level_bytes) / 3;
    return std::clamp(4 * last_level_bytes, 16 * kMiB, most);
  }

  void run(const TriadLoop<Element>& loop) {
    loop.run(a_.data(), b_.data(), c_.data(), static_cast<std::ptrdiff_t>(a_.size()), threads_);
  }

  int threads_;
  AlignedBuffer<Element> a_, b_, c_;
  TriadLoop<Element> loop_;
};

struct StreamTriad : BasicStreamTriad<double> {
  StreamTriad(int threads, std::int64_t last_level_bytes)
      : BasicStreamTriad(threads, last_level_bytes,
                         {{"stores", triad}, {"stores past the caches", triad_past_caches}}) {}
};

}  // namespace brickwork
