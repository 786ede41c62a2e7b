// Runs a tape on rows of nodes and edges, by vectors.
#pragma once
#include <cstdint>
#include <span>

#include "primitives/recursive/lowering/program.hpp"

namespace brickwork {

// What the numbers of the rows in a place begin with: with those of the first node or edge of a level, of a brick call,
// of a piece of a tape, or of the leaves.
enum class Origin : std::uint8_t {
  zero,
  level_node,
  level_edge,
  call_node,
  call_edge,
  piece_node,
  piece_edge,
  first_leaf,
};
constexpr int kOrigins = 8;

// A Ref with its memory: item i (a node or an edge) has its row, or its matrix of H rows, at number (list ? list[i] :
// i) minus the origin.
struct BoundRef {
  float* base = nullptr;
  const std::int32_t* list = nullptr;
  std::int64_t ld = 0;    // from row to row; 0: one row for all
  std::int64_t item = 0;  // from item to item
  Origin origin = Origin::zero;
  std::int64_t feature = 0;  // from feature to feature; 0: a row has one block of features
};

struct BoundInstruction {
  TapeOp op;
  Over over;
  bool matrix;
  int position;
  BoundRef to, a, b, c;
};

// The nodes [first_node, last_node), their edges, and the features [feature, feature + width).
struct TapeRows {
  std::int32_t first_node, last_node, begin_edge, end_edge;
  std::int64_t feature, width;
  std::int64_t H;
  std::int64_t origins[kOrigins];
  const std::int32_t *first_edge, *parent, *first_use, *uses;  // as in Levels
};

void run_tape(std::span<const BoundInstruction>, const TapeRows&);

}  // namespace brickwork
