// How many output features a block holds: as many as the brick's register tiles do with the fewest instructions.
#pragma once
#include <cstdint>

namespace brickwork {

// What a tile one vector wide costs for one FMA beside another: its own instructions are the fewest, as its FMAs load A
// themselves, but A passes once for every vector.
enum class OneVector {
  dear,   // A does not stay in L1 from vector to vector
  fair,   // it does
  cheap,  // it is a few cache lines
};

// For K output features and calls of `rows` pixels. K in blocks of that size is padded to whole blocks; what is
// computed of the padding is counted. `liked`: the machine's block, a multiple of 16 (simd_tuning.hpp).
std::int64_t output_feature_block(std::int64_t K, std::int64_t rows, OneVector, std::int64_t liked);

}  // namespace brickwork
