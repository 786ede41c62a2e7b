// The machine's two limits, measured in the run that they judge: fused multiply-adds out of registers, and STREAM's
// triad out of memory.
#pragma once
#include <cstddef>
#include <string>

#include "aligned_buffer.hpp"

namespace brickwork {

// Nothing but independent fused multiply-adds on every thread, with the widest vectors of the machine; about 10 ms.
class FmaPeak {
 public:
  explicit FmaPeak(int threads) : threads_(threads) {}
  void run() const;
  double flop() const;      // of one run
  std::string isa() const;  // Highway's name of what it runs on

 private:
  int threads_;
};

// a[i] = b[i] + s * c[i] on doubles, counted as STREAM counts: two reads and one write, no write-allocate.
class StreamTriad {
 public:
  StreamTriad(int threads, std::int64_t l3_bytes);
  void run();
  double flop() const { return 2.0 * static_cast<double>(a_.size()); }
  double bytes() const { return 3.0 * sizeof(double) * static_cast<double>(a_.size()); }

 private:
  int threads_;
  AlignedBuffer<double> a_, b_, c_;
};

// Displaces every core's caches by walking through four times the last level.
class CacheEvictor {
 public:
  CacheEvictor(int threads, std::int64_t l3_bytes);
  void operator()();

 private:
  int threads_;
  AlignedBuffer<double> buffer_;
};

}  // namespace brickwork
