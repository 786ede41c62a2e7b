// The brick as plain loops, for any host or device, any types, and one thread or a whole team: the oracle of the other
// backends, and the brick of a Kokkos device lambda. brgemm.hpp states the contract.
//
// A team is anything with rank(), size() and barrier(). Its threads share the work of one call: each holds a register
// tile of C over the whole batch. Threads that can share memory give the brick some of it as scratch; it then brings in
// A and B together, a few steps over k at a time, in place of every thread reading them for itself.
#pragma once
#include <cstdint>

#include "brgemm.hpp"
#include "host_device.hpp"

namespace brickwork {

struct OneThread {
  BRICKWORK_HOST_DEVICE int rank() const { return 0; }
  BRICKWORK_HOST_DEVICE int size() const { return 1; }
  BRICKWORK_HOST_DEVICE void barrier() const {}
};

namespace portable {

constexpr int kTileRows = 4, kTileCols = 8;  // 32 accumulators: registers of every machine
constexpr int kChunk = 16;                   // steps over k in scratch at a time

BRICKWORK_HOST_DEVICE constexpr int round_up(int x, int step) { return (x + step - 1) / step * step; }
BRICKWORK_HOST_DEVICE constexpr int at_most(int x, int most) { return x < most ? x : most; }

// A register tile's rows of A or columns of B: element (x, k) lies at first[x * step_x + k * step_k]. Beyond `live` the
// last one is read again, so that nothing outside the operand is.
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

template <bool whole, class TA, class TC>
BRICKWORK_HOST_DEVICE void add_products(TC (&acc)[kTileRows][kTileCols], const Strip<TA>& a, const Strip<TA>& b,
                                        int k_size) {
  for (int k = 0; k < k_size; ++k) {
    TC b_row[kTileCols];
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTileCols; ++j) b_row[j] = TC(b.template at<whole>(j, k));
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTileRows; ++i) {
      const TC a_ik = TC(a.template at<whole>(i, k));
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTileCols; ++j) acc[i][j] += a_ik * b_row[j];
    }
  }
}

// scratch[k][x] = source[x * step_x + k * step_k] for x < size, and zeros up to whole register tiles. Neighbours in the
// team read neighbours in memory: `along_k` says where those are.
template <class T, class Team>
BRICKWORK_HOST_DEVICE void stage(const Team& team, const T* source, std::int64_t step_x, std::int64_t step_k, int size,
                                 int padded, int k_size, bool along_k, T* scratch) {
  for (int e = team.rank(); e < padded * k_size; e += team.size()) {
    const int x = along_k ? e / k_size : e % padded;
    const int k = along_k ? e % k_size : e / padded;
    scratch[k * padded + x] = x < size ? source[x * step_x + k * step_k] : T(0);
  }
}

template <class TC>
BRICKWORK_HOST_DEVICE void store(const TC (&acc)[kTileRows][kTileCols], const BrgemmShape& shape,
                                 const BrgemmCall& call, int row, int col, int rows, int cols) {
  BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTileRows; ++i) {
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTileCols; ++j) {
      if (i >= rows || j >= cols) continue;
      TC& c = static_cast<TC*>(call.c)[(row + i) * shape.ldc + col + j];
      TC x = acc[i][j];
      if (shape.beta != 0) x += c;
      c = call.epilogue(x, row + i, col + j);
    }
  }
}

}  // namespace portable

// Elements of `scratch` that a call needs.
BRICKWORK_HOST_DEVICE inline std::int64_t portable_scratch(const BrgemmShape& shape) {
  return std::int64_t{portable::kChunk} *
         (portable::round_up(shape.m, portable::kTileRows) + portable::round_up(shape.n, portable::kTileCols));
}

// To be called by every thread of the team with the same arguments. With scratch, the team leaves through a barrier, so
// that the scratch is free again.
template <class TA, class TC, class Team>
BRICKWORK_HOST_DEVICE void brgemm_portable(const Team& team, const BrgemmShape& shape, const BrgemmCall& call,
                                           TA* scratch = nullptr) {
  using namespace portable;
  const int m = call.rows < 0 ? shape.m : call.rows, n = shape.n;
  const int padded_m = round_up(m, kTileRows), padded_n = round_up(n, kTileCols);
  const int tiles_across = padded_n / kTileCols, tiles = padded_m / kTileRows * tiles_across;
  TA* const scratch_b = scratch == nullptr ? nullptr : scratch + kChunk * padded_m;

  for (int first = 0; first < tiles; first += team.size()) {
    const int tile = first + team.rank();
    const bool mine = tile < tiles;  // who has no tile left still brings in A and B, and meets the barriers
    const int row = mine ? tile / tiles_across * kTileRows : 0, col = mine ? tile % tiles_across * kTileCols : 0;
    const int rows = at_most(kTileRows, m - row), cols = at_most(kTileCols, n - col);
    TC acc[kTileRows][kTileCols] = {};

    for (std::int64_t i = 0; i < call.batch.size; ++i) {
      const TA* const a = call.batch.a<TA>(i);
      const TA* const b = call.batch.b<TA>(i);
      if (scratch == nullptr) {
        const Strip<TA> a_rows{a + row * shape.row_of_a(), shape.row_of_a(), shape.step_of_a(), rows};
        const Strip<TA> b_cols{b + col, 1, shape.ldb, cols};
        if (mine && rows == kTileRows && cols == kTileCols)
          add_products<true>(acc, a_rows, b_cols, shape.k);
        else if (mine)
          add_products<false>(acc, a_rows, b_cols, shape.k);
        continue;
      }
      for (int k = 0; k < shape.k; k += kChunk) {
        const int k_size = at_most(kChunk, shape.k - k);
        stage(team, a + k * shape.step_of_a(), shape.row_of_a(), shape.step_of_a(), m, padded_m, k_size,
              !shape.a_transposed, scratch);
        stage(team, b + k * shape.ldb, 1, shape.ldb, n, padded_n, k_size, false, scratch_b);
        team.barrier();
        const Strip<TA> a_rows{scratch + row, 1, padded_m, kTileRows}, b_cols{scratch_b + col, 1, padded_n, kTileCols};
        if (mine) add_products<true>(acc, a_rows, b_cols, k_size);
        team.barrier();
      }
    }
    if (mine) portable::store(acc, shape, call, row, col, rows, cols);
  }
}

}  // namespace brickwork
