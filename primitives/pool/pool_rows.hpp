// What pooling does to rows of one block of channels, with the vectors of the machine it runs on.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/layout/sweep.hpp"
#include "primitives/pool/pool_axis.hpp"

namespace brickwork {

// What all rows of a pass have in common. The tables spare divisions, of which there would be some for every pixel.
struct PoolGeometry {
  bool max;
  PoolAxis rows, columns;
  std::int64_t bc;
  std::int64_t index_bytes;
  const PoolAxis::Range* column_windows;    // those that a column of src is in
  const float *row_shares, *column_shares;  // their product is a tap's share of the average in window (p, q)
};

// dst's row `row`: [column: bc][channel: 1]. src is the whole slice [row: next_row][column: bc][channel: 1]. Each index
// is the largest tap's r * S + s, in index_bytes; null where nobody wants to know.
struct PoolForwardRow {
  const float* src;
  std::int64_t next_row;
  std::int64_t row;
  float* dst;
  std::byte* indices;
  Sweep sweep = Sweep::cached;  // dst goes past the caches, and indices of four bytes, where aligned to vectors
};
void pool_row(const PoolGeometry&, const PoolForwardRow&);

// dsrc's rows `begin` to `end`, gathered from the windows that they are in: ddst and indices are whole slices.
struct PoolBackwardRows {
  const float* ddst;
  std::int64_t next_row;
  const std::byte* indices;  // its rows lie without gaps
  std::int64_t begin, end;
  float* dsrc;  // its row `begin`
  std::int64_t next_dsrc_row;
  bool stream = false;
};
void pool_gradient_rows(const PoolGeometry&, const PoolBackwardRows&);

}  // namespace brickwork
