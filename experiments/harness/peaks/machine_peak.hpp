// Measures the rate of fused multiply-adds on registers, in the same run as the contenders that are judged by it.
// loaded_roof.hpp measures them with their loads, stream_triad.hpp measures the memory.
#pragma once
#include <cstdint>
#include <string>

namespace brickwork {

// Runs nothing but independent fused multiply-adds on every thread, with the widest vectors of the machine.
class FmaPeak {
 public:
  explicit FmaPeak(int threads);             // a run takes about 1 ms
  FmaPeak(int threads, std::int64_t steps);  // a step is one multiply-add on every accumulator
  double flop() const;                       // of one run
  std::string isa() const;                   // Highway's name of the instruction set in use

  // Repeats a = a * x + y for every accumulator a and returns the sum of all accumulators over all threads. By default
  // they converge to 2: no overflow, no denormals. With x = y = 1 each multiply-add of a lane adds 1 to the sum, so
  // run(1, 1) - run(1, 0) counts them.
  double run(float x = 0.5F, float y = 1) const;

 private:
  int threads_;
  std::int64_t steps_;
};

}  // namespace brickwork
