// Measures the rate of fused multiply-adds that load their operands from L1, in the same run as the contenders that are
// judged by it.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {

// rows x vecs sums in registers, vecs registers for a row of B, and one for an element of A spread over a vector.
struct RegisterTile {
  int rows, vecs;

  constexpr int registers() const { return rows * vecs + vecs + 1; }
  constexpr int multiply_adds() const { return rows * vecs; }  // of vectors, per step over k
  constexpr int loads() const { return rows + vecs; }          // per step: each operand of A and B once
};

// The tile with the fewest loads per multiply-add that fits into `registers` registers.
constexpr RegisterTile tile_of_fewest_loads(int registers) {
  RegisterTile best{1, 1};
  for (int rows = 1; rows < registers; ++rows) {
    for (int vecs = 1; RegisterTile{rows, vecs}.registers() <= registers; ++vecs) {
      const RegisterTile tile{rows, vecs};
      if (tile.loads() * best.multiply_adds() < best.loads() * tile.multiply_adds()) best = tile;
    }
  }
  return best;
}

// The tile of an instruction set; isa is Highway's name of it.
struct TargetsTile {
  RegisterTile tile;
  int lanes;
  const char* isa;
};

// Runs the steps of a register tile over k and nothing else, on every thread, with the machine's widest vectors and
// with A and B in L1. The tile has the fewest loads per multiply-add, so no kernel that loads its operands can be
// faster. Where loads slow multiply-adds down, this is the roof: 0.88 of the FMA peak on Granite Rapids, with 10 loads
// per 24 multiply-adds. Where they do not (Zen 5), it equals the FMA peak.
class LoadedRoof {
 public:
  static constexpr int kDepth = 32;  // extent of k in A and B: with AVX-512, B is 10 KiB

  explicit LoadedRoof(int threads);                // a run takes about 1 ms
  LoadedRoof(int threads, std::int64_t passes);    // each pass goes over all of A and B
  double flop() const;                             // of one run
  std::string isa() const { return target_.isa; }  // Highway's name of the instruction set in use

  // Returns the sum of A[k][row] * B[k][column] over all threads and passes, which is 0 for the initial values.
  double run() const;

  // a() is [k][row], b() is [k][column]. With ones in both, the sum counts the multiply-adds. With ones in one of them
  // and a single 1 among zeros in the other, it counts how often that element is used.
  AlignedBuffer<float>& a() { return a_; }
  AlignedBuffer<float>& b() { return b_; }

 private:
  int threads_;
  std::int64_t passes_;
  TargetsTile target_;
  AlignedBuffer<float> a_, b_;
};

}  // namespace brickwork
