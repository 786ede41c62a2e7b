// The brick for a team that shares memory, on any host or device and for any types: as brgemm_portable, but A and B
// come through scratch, a few steps over k at a time, and each thread holds 8 x 8 sums over the whole batch. brgemm.hpp
// states the contract.
//
// There are two buffers: while one is multiplied, the next steps come into the other, across members, too; each step
// ends in one barrier.
#pragma once
#include <cstdint>

#include "brgemm.hpp"
#include "brgemm_portable.hpp"
#include "finished_element.hpp"
#include "host_device.hpp"

namespace brickwork {
namespace staged {

constexpr int kTile = 8;    // rows and columns of a thread
constexpr int kChunk = 16;  // steps over k in a buffer
constexpr int kBatch = 8;   // elements that a thread has under way: a store into scratch waits for its load

// Rows of A in a buffer. A thread's eight are read four at a time; the gap spreads those that are written at once, of
// neighbouring k, over banks.
BRICKWORK_HOST_DEVICE constexpr int row_of_a(int m) { return portable::round_up(m, kTile) + 4; }
BRICKWORK_HOST_DEVICE constexpr int row_of_b(int n) { return portable::round_up(n, kTile); }

// Who of a team brings what of inner x outer elements: neighbours have neighbours, so many at a time.
struct Share {
  int inner, outer, inner_step, outer_step;

  template <class Team>
  BRICKWORK_HOST_DEVICE static Share of(const Team& team, int inner_size) {
    constexpr int kWarp = 32;
    const int across = portable::at_most(portable::round_up(inner_size, inner_size < kWarp ? 1 : kWarp), team.size());
    const int deep = team.size() / across;
    // Those left over would be beyond the last of any row.
    return {team.rank() < across * deep ? team.rank() % across : inner_size, team.rank() / across, across, deep};
  }
};

// to[k][x] = source[x * step_x + k * step_k], with zeros beyond x_size up to padded. `along_k` says where neighbours in
// memory are.
template <class T>
BRICKWORK_HOST_DEVICE void bring(const Share& share, const T* source, std::int64_t step_x, std::int64_t step_k,
                                 int x_size, int padded, int k_size, bool along_k, T* to, int row) {
  const int inner_size = along_k ? k_size : padded, outer_size = along_k ? padded : k_size;
  for (int inner = share.inner; inner < inner_size; inner += share.inner_step) {
    for (int first = share.outer; first < outer_size; first += kBatch * share.outer_step) {
      T batch[kBatch];
      BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int outer = first + i * share.outer_step, x = along_k ? outer : inner, k = along_k ? inner : outer;
        batch[i] = outer < outer_size && x < x_size ? source[x * step_x + k * step_k] : T(0);
      }
      BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kBatch; ++i) {
        const int outer = first + i * share.outer_step, x = along_k ? outer : inner, k = along_k ? inner : outer;
        if (outer < outer_size) to[k * row + x] = batch[i];
      }
    }
  }
}

// acc[i][j] += products of rows i and columns j * across.
template <class T, class Sum>
BRICKWORK_HOST_DEVICE void add_products(Sum (&acc)[kTile][kTile], const T* a, int row_of_a, const T* b, int row_of_b,
                                        int across, int k_size) {
  struct alignas(4 * sizeof(T)) Four {
    T of[4];
  };
  for (int k = 0; k < k_size; ++k, a += row_of_a, b += row_of_b) {
    const Four low = *reinterpret_cast<const Four*>(a), high = *reinterpret_cast<const Four*>(a + 4);
    Sum b_row[kTile];
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTile; ++j) b_row[j] = Sum(b[j * across]);
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTile; ++i) {
      const Sum a_i = Sum(i < 4 ? low.of[i % 4] : high.of[i % 4]);
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTile; ++j) acc[i][j] += a_i * b_row[j];
    }
  }
}

}  // namespace staged

// Elements of `scratch` that a call needs, aligned to 16 bytes.
BRICKWORK_HOST_DEVICE inline std::int64_t staged_scratch(const BrgemmShape& shape) {
  return std::int64_t{2} * staged::kChunk * (staged::row_of_a(shape.m) + staged::row_of_b(shape.n));
}

// To be called by every thread of the team with the same arguments. The team leaves through a barrier: the scratch is
// free again.
template <class TA, class TC, class Team>
BRICKWORK_HOST_DEVICE void brgemm_staged(const Team& team, const BrgemmShape& shape, const BrgemmCall& call,
                                         TA* scratch) {
  using namespace staged;
  const int m = call.rows < 0 ? shape.m : call.rows, n = shape.n;
  if (m == 0) return;
  const int row_a = staged::row_of_a(m), row_b = staged::row_of_b(n), padded_m = portable::round_up(m, kTile);
  const int across = row_b / kTile, tiles = padded_m / kTile * across, buffer = kChunk * (row_a + row_b);
  const bool a_along_k = !shape.a_transposed;
  const Share share_a = Share::of(team, a_along_k ? kChunk : padded_m), share_b = Share::of(team, row_b);

  for (int first = 0; first < tiles; first += team.size()) {
    const int tile = first + team.rank();
    const bool mine = tile < tiles;  // who has no tile left still brings in A and B, and meets the barriers
    // Neighbours in the team have neighbouring columns, so that they read different banks and write whole lines of C.
    const int row = mine ? tile / across * kTile : 0, col = mine ? tile % across : 0;
    SumOf<TC> acc[kTile][kTile] = {};

    std::int64_t member = 0;
    int k = 0;
    const TA *a = nullptr, *b = nullptr;
    const auto bring_next = [&](TA* to) {
      if (k == 0) a = call.batch.a<TA>(member), b = call.batch.b<TA>(member);
      const int k_size = portable::at_most(kChunk, shape.k - k);
      bring(share_a, a + k * shape.step_of_a(), shape.row_of_a(), shape.step_of_a(), m, padded_m, k_size, a_along_k, to,
            row_a);
      bring(share_b, b + k * shape.ldb, std::int64_t{1}, shape.ldb, n, row_b, k_size, false, to + kChunk * row_a,
            row_b);
      k += k_size;
      if (k == shape.k) k = 0, ++member;
      return k_size;
    };
    int now = 0, k_size = 0;
    if (call.batch.size > 0) k_size = bring_next(scratch);
    team.barrier();
    while (k_size > 0) {
      const TA* const from = scratch + now * buffer;
      now = 1 - now;
      const int next_size = member < call.batch.size ? bring_next(scratch + now * buffer) : 0;
      if (mine) add_products(acc, from + row, row_a, from + kChunk * row_a + col, row_b, across, k_size);
      team.barrier();
      k_size = next_size;
    }

    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTile; ++i) {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTile; ++j) {
        const int c_row = row + i, c_col = col + j * across;
        if (!mine || c_row >= m || c_col >= n) continue;
        TC& c = static_cast<TC*>(call.c)[c_row * shape.ldc + c_col];
        c = finished_element(shape, call, acc[i][j], c, c_row, c_col);
      }
    }
  }
}

}  // namespace brickwork
