// How long as many bytes take that are only read and written, measured in the run that it judges: what limits whoever
// moves them, whatever level of the memory holds them. Products whose weights are each used a few times are judged by
// reading alone. What moves its tensors and little else has a stream of its own mix of reads and writes beside STREAM's
// triad: memory may take what is written slower than what is read, or give reading alone less than a mix of both.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/op/op.hpp"

namespace brickwork {

// Each thread goes over its share of an array that is read and of one that is written, both in the order of memory. It
// stores past the caches where that is faster.
class MemoryTraffic {
 public:
  // Whole floats; of what is read, the first bytes are read again.
  MemoryTraffic(int threads, std::int64_t bytes_read, std::int64_t bytes_written, const Rereads& = {});
  std::string isa() const;  // Highway's name of what it runs on

  // Returns the sum of all elements that are read, as often as they are, over all threads.
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
