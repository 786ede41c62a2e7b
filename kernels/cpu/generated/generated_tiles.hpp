// Register tiles of the simd brick as machine code, generated for exactly one shape.
//
// Values that a compiled tile keeps in registers or computes at run time are constants here: the distances between rows
// of A and of B, the number of steps. A step of a 6 x 64 tile takes 35 instructions instead of 37 or 38; a step of a 28
// x 16 tile, where FMAs load A themselves, 30 instead of 37. On an otherwise idle core that hardly matters, as both
// wait for the FMAs. If a neighbour takes issue slots of the core, convolutions are 5 % (ResNet-50's 3x3 layers) to 14
// % (its first layer) faster (Emerald Rapids). AVX2 has 16 registers, and compiled tiles of 5 x 16 do not use all of
// them well: with generated tiles ResNet-50's layers are 2 to 13 % faster backward by data and 0 to 8 % in the weight
// update (Zen 2).
//
// After: Heinecke et al., "LIBXSMM: Accelerating Small Matrix Multiplications by Runtime Code Generation", SC 2016.
#pragma once
#include <memory>
#include <string>

#include "kernels/cpu/simd/brgemm_simd.hpp"

namespace brickwork {

// Thread-safe. The code of a tile is generated when it is first needed.
class GeneratedTiles {
 public:
  virtual ~GeneratedTiles() = default;
  virtual void prepare(int rows) const = 0;  // generates tiles of `rows` rows
  virtual void run(const BrgemmCall&, const Band&) const = 0;
};

// The tiles of one panel, for AVX-512 or AVX2. Null if there is no generator or a distance does not fit an instruction.
std::shared_ptr<const GeneratedTiles> generate_tiles(const BrgemmShape&, const BrgemmHints&, const Panel&, int lanes);

// Version of the library that generates tiles; empty if this build has none or the system forbids generated code.
const std::string& tile_generator_version();

}  // namespace brickwork
