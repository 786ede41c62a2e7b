// Measures how long it takes to read and write a number of bytes and do nothing else, in the same run as the contenders
// that are judged by it. It limits every program that moves these bytes, at any level of the memory. Products that use
// each weight only a few times are judged by reading alone. Problems that mainly move their tensors are judged by their
// own mix of reads and writes, besides STREAM's triad: memory may be slower at writing than at reading, or slower at
// reading alone than at a mix of both.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// Each thread reads its share of one array and writes its share of another, both in the order of memory. It stores past
// the caches if that is faster.
class MemoryTraffic {
 public:
  // Sizes are rounded down to whole floats. The first Rereads::bytes of the array are read Rereads::times more.
  MemoryTraffic(int threads, std::int64_t bytes_read, std::int64_t bytes_written, const Rereads& = {});
  std::string isa() const;  // Highway's name of the instruction set in use

  // Returns the sum of all elements that are read; an element counts as often as it is read.
  float run() { return run(past_caches_); }
  float run(bool past_caches);

  bool past_caches() const { return past_caches_; }
  AlignedBuffer<float>& read() { return read_; }
  AlignedBuffer<float>& written() { return written_; }

 private:
  int threads_;
  Rereads again_;
  AlignedBuffer<float> read_, written_;
  bool past_caches_ = false;
};

}  // namespace brickwork
