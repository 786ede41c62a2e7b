// The brick as plain loops, for any host or device, any types, and one thread or a team of threads: the reference that
// tests the other backends, and the brick of a Kokkos device lambda. brgemm.hpp states the contract.
//
// A team has rank(), size() and barrier(). Its threads share the work of one call: each computes register tiles of C
// over the whole batch and reads A and B itself. For teams with shared memory see brgemm_staged.hpp.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/epilogue/finished_element.hpp"

namespace brickwork {

struct OneThread {
  BRICKWORK_HOST_DEVICE int rank() const { return 0; }
  BRICKWORK_HOST_DEVICE int size() const { return 1; }
  BRICKWORK_HOST_DEVICE void barrier() const {}
};

namespace portable {

constexpr int kTileRows = 4, kTileCols = 8;  // 32 accumulators: every machine has the registers

BRICKWORK_HOST_DEVICE constexpr int round_up(int x, int step) { return (x + step - 1) / step * step; }
BRICKWORK_HOST_DEVICE constexpr int at_most(int x, int most) { return x < most ? x : most; }

// The rows of A or the columns of B of a register tile: element (x, k) lies at first[x * step_x + k * step_k]. For x >=
// live the last live element is read again, so that no access leaves the operand.
template <class T>
struct Strip {
  const T* first;
  std::int64_t step_x, step_k;
  int live;

  template <bool whole>
  BRICKWORK_HOST_DEVICE T at(int x, int k) const {
    return first[(whole ? x : at_most(x, live - 1)) * step_x + k * step_k];
  }
};

// A strip of an A with pixels as rows, or as steps over k.
template <class T>
struct PixelStrip {
  const T* first;  // first element of A; `pixel` is the pixel of x = 0, or of k = 0
  const BrgemmShape& shape;
  std::int64_t pixel, row;
  int live;

  template <bool>
  BRICKWORK_HOST_DEVICE T at(int x, int k) const {
    const std::int64_t live_row = row + at_most(x, live - 1);
    return shape.a_transposed ? first[shape.place_in_a(pixel + k) + live_row]
                              : first[shape.place_in_a(pixel + live_row) + k];
  }
};

template <bool whole, class A, class TA, class Sum>
BRICKWORK_HOST_DEVICE void add_products(Sum (&acc)[kTileRows][kTileCols], const A& a, const Strip<TA>& b, int k_size) {
  for (int k = 0; k < k_size; ++k) {
    Sum b_row[kTileCols];
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTileCols; ++j) b_row[j] = Sum(b.template at<whole>(j, k));
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTileRows; ++i) {
      const Sum a_ik = Sum(a.template at<whole>(i, k));
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTileCols; ++j) acc[i][j] += a_ik * b_row[j];
    }
  }
}

template <class TC>
BRICKWORK_HOST_DEVICE void store(const SumOf<TC> (&acc)[kTileRows][kTileCols], const BrgemmShape& shape,
                                 const BrgemmCall& call, int row, int col, int rows, int cols) {
  BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTileRows; ++i) {
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTileCols; ++j) {
      if (i >= rows || j >= cols) continue;
      const std::int64_t place = shape.place_in_c(call.first_pixel + row + i);
      static_cast<TC*>(call.c)[place + col + j] =
          finished_element<TC, CalledCurves>(shape, call, acc[i][j], row + i, place, col + j);
    }
  }
}

}  // namespace portable

// Every thread of the team calls it with the same arguments.
template <class TA, class TC, class Team>
BRICKWORK_HOST_DEVICE void brgemm_portable(const Team& team, const BrgemmShape& shape, const BrgemmCall& call) {
  using namespace portable;
  const int m = call.rows < 0 ? shape.m : call.rows, n = shape.n;
  const int tiles_across = round_up(n, kTileCols) / kTileCols,
            tiles = round_up(m, kTileRows) / kTileRows * tiles_across;

  for (int tile = team.rank(); tile < tiles; tile += team.size()) {
    const int row = tile / tiles_across * kTileRows, col = tile % tiles_across * kTileCols;
    const int rows = at_most(kTileRows, m - row), cols = at_most(kTileCols, n - col);
    SumOf<TC> acc[kTileRows][kTileCols] = {};
    for (std::int64_t i = 0; i < call.batch.size; ++i) {
      const TA* const a = call.batch.a<TA>(i);
      const TA* const b = call.batch.b<TA>(i);
      const Strip<TA> a_rows{a + row * shape.row_of_a(), shape.row_of_a(), shape.step_of_a(), rows};
      const Strip<TA> b_cols{b + col, 1, shape.ldb, cols};
      if (shape.pixels_of_a.cols != 0)
        add_products<false>(acc, PixelStrip<TA>{a, shape, call.first_pixel, row, rows}, b_cols, shape.k);
      else if (rows == kTileRows && cols == kTileCols)
        add_products<true>(acc, a_rows, b_cols, shape.k);
      else
        add_products<false>(acc, a_rows, b_cols, shape.k);
    }
    portable::store<TC>(acc, shape, call, row, col, rows, cols);
  }
}

}  // namespace brickwork
