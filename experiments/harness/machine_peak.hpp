// The machine's two limits, measured in the run that they judge: fused multiply-adds out of registers, and STREAM's
// triad out of memory. What lies between them is loaded_roof.hpp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "aligned_buffer.hpp"

namespace brickwork {

// Nothing but independent fused multiply-adds on every thread, with the widest vectors of the machine.
class FmaPeak {
 public:
  explicit FmaPeak(int threads);             // so many steps that a run takes about 1 ms
  FmaPeak(int threads, std::int64_t steps);  // multiply-adds onto every accumulator
  double flop() const;                       // of one run
  std::string isa() const;                   // Highway's name of what it runs on

  // Every accumulator becomes a * x + y again and again; returns the sum of them all, over all threads. As a default
  // they converge to 2: no overflow, no denormals. With x = y = 1 the loop counts its own multiply-adds: each adds one
  // to the sum, which y = 0 leaves where it starts.
  double run(float x = 0.5F, float y = 1) const;

 private:
  int threads_;
  std::int64_t steps_;
};

// a[i] = b[i] + s * c[i] on doubles, counted as STREAM counts: two reads and one write, no write-allocate. A test takes
// elements that count what is done with them.
template <class Element>
class BasicStreamTriad {
 public:
  BasicStreamTriad(int threads, std::int64_t l3_bytes)
      : threads_(threads),
        a_(static_cast<std::size_t>(array_bytes(l3_bytes)) / sizeof(Element)),
        b_(a_.size()),
        c_(a_.size()) {
    std::ranges::fill(b_, Element{1.0});
    std::ranges::fill(c_, Element{2.0});
  }

  void run() {
    Element* const a = a_.data();
    const Element* const b = b_.data();
    const Element* const c = c_.data();
    const auto size = static_cast<std::ptrdiff_t>(a_.size());
#pragma omp parallel for simd num_threads(threads_) schedule(static)
    for (std::ptrdiff_t i = 0; i < size; ++i) a[i] = b[i] + 3.0 * c[i];
  }

  double flop() const { return 2.0 * static_cast<double>(a_.size()); }
  double bytes() const { return 3.0 * sizeof(Element) * static_cast<double>(a_.size()); }
  const AlignedBuffer<Element>& result() const { return a_; }

 private:
  // Four times the last level, as STREAM asks, but at most 256 MiB in all.
  static std::int64_t array_bytes(std::int64_t l3_bytes) {
    return std::clamp<std::int64_t>(4 * l3_bytes, std::int64_t{16} << 20, (std::int64_t{256} << 20) / 3);
  }

  int threads_;
  AlignedBuffer<Element> a_, b_, c_;
};

using StreamTriad = BasicStreamTriad<double>;

}  // namespace brickwork
