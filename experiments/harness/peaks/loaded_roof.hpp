// The rate of fused multiply-adds that come with their loads, measured in the run that it judges.
#pragma once
#include <cstdint>
#include <string>

#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {

// rows x vecs sums in registers, and beside them a row of B and one element of A, spread over a vector.
struct RegisterTile {
  int rows, vecs;

  constexpr int registers() const { return rows * vecs + vecs + 1; }
  constexpr int multiply_adds() const { return rows * vecs; }  // of vectors, in a step over k
  constexpr int loads() const { return rows + vecs; }          // in a step: of A and of B, none of them twice
};

// The tile with the fewest loads a multiply-add of all that so many registers hold.
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

// What an instruction set has of it; isa: Highway's name.
struct TargetsTile {
  RegisterTile tile;
  int lanes;
  const char* isa;
};

// What a register tile does over k and nothing else, on every thread, with the widest vectors of the machine, A and B
// in L1. The tile is the one of the fewest loads, so that no kernel that loads what it multiplies can be faster: where
// loads and multiply-adds get in each other's way (0.88 of the FMA peak with 10 loads to 24 of them on Granite Rapids)
// this is the roof, and where they do not (Zen 5) it is the FMA peak once more.
class LoadedRoof {
 public:
  static constexpr int kDepth = 32;  // of A and B: with AVX-512 B is 10 KiB

  explicit LoadedRoof(int threads);                // so many passes that a run takes about 1 ms
  LoadedRoof(int threads, std::int64_t passes);    // over all of A and B
  double flop() const;                             // of one run
  std::string isa() const { return target_.isa; }  // Highway's name of what it runs on

  // The sum over all threads and passes of A[k][row] * B[k][column], which is 0 for the values that it starts with.
  double run() const;

  // [k][row] and [k][column]; with ones in both the sum counts the multiply-adds, with zeros but for an element how
  // often that is used.
  AlignedBuffer<float>& a() { return a_; }
  AlignedBuffer<float>& b() { return b_; }

 private:
  int threads_;
  std::int64_t passes_;
  TargetsTile target_;
  AlignedBuffer<float> a_, b_;
};

}  // namespace brickwork
