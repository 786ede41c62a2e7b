// How long as many bytes take that are only read, measured in the run that it judges: what limits a product whose
// weights are each used a few times, whatever level of the memory holds them.
#pragma once
#include <cstdint>
#include <string>

#include "aligned_buffer.hpp"

namespace brickwork {

// Each thread goes over its share of an array, in the order of memory.
class MemoryRead {
 public:
  MemoryRead(int threads, std::int64_t bytes);  // whole floats
  std::string isa() const;                      // Highway's name of what it runs on

  // Returns the sum of all elements over all threads.
  float run() const;

  AlignedBuffer<float>& array() { return array_; }

 private:
  int threads_;
  AlignedBuffer<float> array_;
};

}  // namespace brickwork
