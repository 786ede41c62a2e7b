// Register tiles of the simd brick as machine code that is generated for exactly one shape.
//
// What a compiled tile keeps in registers or computes while it runs is a constant here: the distances between the rows
// of A and of B, the number of steps. A step of a 6 x 64 tile takes 35 instructions instead of 37 or 38, and one of 28
// x 16, whose FMAs load A themselves, 30 instead of 37. On a core with nothing else to do that hardly shows, as both
// wait for the FMAs; where a neighbour takes its share of the issue slots a convolution gains 5 % (ResNet-50's 3x3
// layers) to 14 % (its first), on Emerald Rapids. AVX2's have 16 registers, all of which compiled tiles of 5 x 16 do
// not use well: ResNet-50's layers gain 2 to 13 % backward by data, 0 to 8 % in their weight update (Zen 2).
//
// After: Heinecke et al., "LIBXSMM: Accelerating Small Matrix Multiplications by Runtime Code Generation", SC 2016.
#pragma once
#include <memory>
#include <string>

#include "kernels/cpu/simd/brgemm_simd.hpp"

namespace brickwork {

// Thread-safe; a tile's code is generated when it is first asked for.
class GeneratedTiles {
 public:
  virtual ~GeneratedTiles() = default;
  virtual void prepare(int rows) const = 0;  // generates tiles of so many rows
  virtual void run(const BrgemmCall&, const Band&) const = 0;
};

// Those of one of AVX-512's or AVX2's panels. Null where there is no generator, or a distance is too long for an
// instruction.
std::shared_ptr<const GeneratedTiles> generate_tiles(const BrgemmShape&, const BrgemmHints&, const Panel&, int lanes);

// Of the library that generates them; empty where this build has none, or the system lets no process write code.
const std::string& tile_generator_version();

}  // namespace brickwork
