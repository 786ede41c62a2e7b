// The rate of fused multiply-adds out of registers, measured in the run that it judges. With their loads it is
// loaded_roof.hpp, and what the memory gives stream_triad.hpp.
#pragma once
#include <cstdint>
#include <string>

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

}  // namespace brickwork
