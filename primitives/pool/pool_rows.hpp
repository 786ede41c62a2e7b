// Pooling of rows of one block of channels, with the vectors of this machine.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/layout/sweep.hpp"
#include "primitives/pool/pool_axis.hpp"

namespace brickwork {

// What all rows of a pass share. The tables avoid several divisions per pixel.
struct PoolGeometry {
  bool max;
  PoolAxis rows, columns;
  std::int64_t bc;
  std::int64_t index_bytes;
  const PoolAxis::Range* column_windows;    // the windows that a column of src is in
  const float *row_shares, *column_shares;  // their product: a tap's share in window (p, q)'s average
};

// Computes dst's row `row`. From pixel to pixel it is bc floats, from row to row of src next_row; src is the whole
// slice (n, cb). indices get the largest taps, r * S + s, in index_bytes each; null if not wanted.
struct PoolForwardRow {
  const float* src;
  std::int64_t next_row;
  std::int64_t row;
  float* dst;
  std::byte* indices;
  Sweep sweep = Sweep::cached;  // may store dst, and indices of four bytes, past the caches, if aligned to vectors
};
void pool_row(const PoolGeometry&, const PoolForwardRow&);

// Computes dsrc's rows from `begin` to `end` from the windows that they are in. ddst and indices are whole slices.
struct PoolBackwardRows {
  const float* ddst;
  std::int64_t next_row;
  const std::byte* indices;  // rows without gaps
  std::int64_t begin, end;
  float* dsrc;  // at row `begin`
  std::int64_t next_dsrc_row;
  bool stream = false;
};
void pool_gradient_rows(const PoolGeometry&, const PoolBackwardRows&);

}  // namespace brickwork
