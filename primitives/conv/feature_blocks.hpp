// Chooses the number of output features per block, so that the brick's register tiles need the fewest instructions.
#pragma once
#include <cstdint>

namespace brickwork {

// The cost of blocks that are one vector wide. Their tiles need the fewest instructions, as their FMAs load A
// themselves, but A is read once for every vector.
enum class OneVector {
  dear,   // A does not stay in L1 from vector to vector
  fair,   // A stays in L1
  cheap,  // A is a few cache lines
};

// The block size for K output features and calls of `rows` pixels. K is padded to whole blocks, and work on the padding
// counts. `liked` is the machine's preferred block (MachineModel::block()), a multiple of 16.
std::int64_t output_feature_block(std::int64_t K, std::int64_t rows, OneVector, std::int64_t liked);

// Cost per multiply-add of such calls, in instructions. A narrow last tile costs more than the others.
double instructions_per_multiply_add(std::int64_t block, std::int64_t rows, OneVector, std::int64_t liked);

}  // namespace brickwork
