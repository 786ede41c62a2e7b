// The sizes by which a recursive model is blocked.
#pragma once
#include <cstdint>

#include "primitives/nest/integers.hpp"

namespace brickwork {

// A GPU's tile of products with weights.
constexpr std::int64_t kRowsOfGpuTile = 32, kFeaturesOfGpuTile = 64;

struct RecursiveGeometry {
  std::int64_t H = 0;        // features
  std::int64_t bk = 0;       // features of a block of results
  std::int64_t blocks = 0;   // of results
  std::int64_t kb = 0;       // features of an operand that one member of a brick call sums over
  std::int64_t members = 0;  // such parts of all features
  std::int64_t rows = 0;     // rows of an operand or a sum in memory: of one call, or of one node with all its children
  std::int64_t rows_of_call = 0;
  std::int64_t rows_of_piece = 0;  // of a tape, so that its temporaries stay in L1
  std::int64_t most_children = 0;

  std::int64_t operand_size() const { return members * rows * kb; }
  std::int64_t sum_size() const { return rows * bk; }
  std::int64_t row_of_temporary() const { return bk > kb ? bk : kb; }
};

}  // namespace brickwork
