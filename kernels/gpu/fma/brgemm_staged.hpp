// The brick for a team of threads that share scratch memory, on host and device. Unlike brgemm_portable, it copies A
// and B to scratch first, up to 16 steps over k at a time (a chunk). Each thread keeps 8 x 8 sums over the whole batch.
// brgemm.hpp states the contract.
//
// There are two buffers. While the team multiplies from one buffer, it loads the next chunk, possibly of the next batch
// member, into registers; then it stores that chunk into the other buffer. One barrier ends each chunk.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/epilogue/finished_element.hpp"
#include "kernels/portable/brgemm_portable.hpp"

namespace brickwork {
namespace staged {

constexpr int kTile = 8;    // rows and columns of a thread's tile
constexpr int kChunk = 16;  // steps over k in a buffer
constexpr int kBatch = 8;   // elements that a thread loads before it stores the first, so that the loads overlap

// Elements of a buffer's row for A: one k, all m rows of A. Neighbouring threads write neighbouring k together; the gap
// of 4 elements puts these into different memory banks.
BRICKWORK_HOST_DEVICE constexpr int row_of_a(int m) { return portable::round_up(m, kTile) + 4; }
BRICKWORK_HOST_DEVICE constexpr int row_of_b(int n) { return portable::round_up(n, kTile); }

// The elements of an inner x outer array that a thread of the team copies. Threads of neighbouring rank copy elements
// that are neighbours along `inner`.
struct Share {
  int inner, outer, inner_step, outer_step;

  template <class Team>
  BRICKWORK_HOST_DEVICE static Share of(const Team& team, int inner_size) {
    constexpr int kWarp = 32;
    const int across = portable::at_most(portable::round_up(inner_size, inner_size < kWarp ? 1 : kWarp), team.size());
    const int deep = team.size() / across;
    // Threads that do not fit start at inner_size, so they copy nothing.
    return {team.rank() < across * deep ? team.rank() % across : inner_size, team.rank() / across, across, deep};
  }
};

// Copies one thread's share of an operand into scratch as to[k][x], x < padded; x is a row of A or a column of B.
// Elements from x_size on are zeros. `along_k`: the source is contiguous along k, which is then the inner index;
// place(inner, outer) is an element's offset in the source. load() begins to load the thread's first kBatch elements
// before the multiply-adds; store() stores them and copies the rest.
template <class T>
class Bringing {
 public:
  BRICKWORK_HOST_DEVICE Bringing(const Share& share, int x_size, int padded, bool along_k)
      : share_(share), x_size_(x_size), padded_(padded), along_k_(along_k) {}

  template <class Place>
  BRICKWORK_HOST_DEVICE void load(const T* source, const Place& place, int k_size) {
    load(source, place, k_size, share_.inner, share_.outer);
  }
  template <class Place>
  BRICKWORK_HOST_DEVICE void store(const T* source, const Place& place, int k_size, T* to, int row) {
    const int inner_size = along_k_ ? k_size : padded_, outer_size = along_k_ ? padded_ : k_size;
    const int inner_step = along_k_ ? row : 1, outer_step = along_k_ ? 1 : row;
    bool loaded = true;
    for (int inner = share_.inner; inner < inner_size; inner += share_.inner_step) {
      for (int first = share_.outer; first < outer_size; first += kBatch * share_.outer_step) {
        if (!loaded) load(source, place, k_size, inner, first);
        loaded = false;
        T* at = to + inner * inner_step + first * outer_step;
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kBatch; ++i, at += share_.outer_step * outer_step) {
          if (first + i * share_.outer_step < outer_size) *at = batch_[i];
        }
      }
    }
  }

 private:
  template <class Place>
  BRICKWORK_HOST_DEVICE void load(const T* source, const Place& place, int k_size, int inner, int first) {
    const int inner_live = along_k_ ? k_size : x_size_;
    const int outer_live = inner < inner_live ? along_k_ ? x_size_ : k_size : 0;
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kBatch; ++i) {
      const int outer = first + i * share_.outer_step;
      batch_[i] = outer < outer_live ? source[place(inner, outer)] : T(0);
    }
  }

  const Share share_;
  const int x_size_, padded_;
  const bool along_k_;
  T batch_[kBatch];
};

// acc[i][j] += products of row i of A and column j of B. Columns 0 to 3 begin at b, 4 to 7 at b + row_of_b / 2.
template <class T, class Sum>
BRICKWORK_HOST_DEVICE void add_products(Sum (&acc)[kTile][kTile], const T* a, int row_of_a, const T* b, int row_of_b,
                                        int k_size) {
  struct alignas(4 * sizeof(T)) Four {
    T of[4];
  };
  for (int k = 0; k < k_size; ++k, a += row_of_a, b += row_of_b) {
    const Four low = *reinterpret_cast<const Four*>(a), high = *reinterpret_cast<const Four*>(a + 4);
    const Four left = *reinterpret_cast<const Four*>(b), right = *reinterpret_cast<const Four*>(b + row_of_b / 2);
    Sum b_row[kTile];
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTile; ++j) b_row[j] = Sum(j < 4 ? left.of[j % 4] : right.of[j % 4]);
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTile; ++i) {
      const Sum a_i = Sum(i < 4 ? low.of[i % 4] : high.of[i % 4]);
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTile; ++j) acc[i][j] += a_i * b_row[j];
    }
  }
}

}  // namespace staged

// Bytes of scratch that a call needs: both buffers and, if the rows of A are pixels, the offsets of these rows. The
// scratch must begin at a multiple of 16 bytes.
template <class T>
BRICKWORK_HOST_DEVICE std::int64_t staged_scratch(const BrgemmShape& shape) {
  const bool places = shape.pixels_of_a.cols != 0 && !shape.a_transposed;
  return std::int64_t{2} * staged::kChunk * (staged::row_of_a(shape.m) + staged::row_of_b(shape.n)) *
             static_cast<std::int64_t>(sizeof(T)) +
         (places ? shape.m * static_cast<std::int64_t>(sizeof(std::int64_t)) : 0);
}

// Every thread of the team calls it with the same arguments. When a thread returns, no thread uses the scratch any
// more.
template <class TA, class TC, class Team>
BRICKWORK_HOST_DEVICE void brgemm_staged(const Team& team, const BrgemmShape& shape, const BrgemmCall& call,
                                         TA* scratch) {
  using namespace staged;
  const int m = call.rows < 0 ? shape.m : call.rows, n = shape.n;
  if (m == 0) return;
  const int row_a = staged::row_of_a(m), row_b = staged::row_of_b(n), padded_m = portable::round_up(m, kTile);
  const int across = row_b / kTile, tiles = padded_m / kTile * across, buffer = kChunk * (row_a + row_b);
  const bool a_along_k = !shape.a_transposed, pixels = shape.pixels_of_a.cols != 0;
  const Share share_a = Share::of(team, a_along_k ? kChunk : padded_m), share_b = Share::of(team, row_b);

  // The offset of each row is computed once. A division per element would take longer than the element's multiply-adds.
  std::int64_t* const places = reinterpret_cast<std::int64_t*>(scratch + 2 * buffer);
  if (pixels && a_along_k) {
    for (int x = team.rank(); x < m; x += team.size()) places[x] = shape.place_in_a(call.first_pixel + x);
    team.barrier();
  }

  for (int first = 0; first < tiles; first += team.size()) {
    const int tile = first + team.rank();
    const bool mine = tile < tiles;  // a thread without a tile still copies A and B and meets the barriers
    // Threads of neighbouring rank take neighbouring groups of four columns: they read different banks and write C in
    // long runs.
    const int row = mine ? tile / across * kTile : 0, col = mine ? tile % across * 4 : 0;
    SumOf<TC> acc[kTile][kTile] = {};

    std::int64_t member = 0;
    int k = 0;
    const TA *a = nullptr, *b = nullptr;
    Bringing<TA> of_a(share_a, m, padded_m, a_along_k), of_b(share_b, n, row_b, false);
    const auto place_in_a = [&](int inner, int outer) {
      if (!pixels) return outer * shape.lda + inner;
      return (a_along_k ? places[outer] : shape.place_in_a(call.first_pixel + k + outer)) + inner;
    };
    const auto place_in_b = [&](int inner, int outer) { return outer * shape.ldb + inner; };
    const auto source_of_a = [&] { return a + (a_along_k ? k : pixels ? 0 : k * shape.lda); };
    const auto source_of_b = [&] { return b + k * shape.ldb; };
    const auto load_next = [&] {
      if (member == call.batch.size) return 0;
      if (k == 0) a = call.batch.a<TA>(member), b = call.batch.b<TA>(member);
      const int k_size = portable::at_most(kChunk, shape.k - k);
      of_a.load(source_of_a(), place_in_a, k_size), of_b.load(source_of_b(), place_in_b, k_size);
      return k_size;
    };
    const auto store_next = [&](int k_size, TA* to) {
      of_a.store(source_of_a(), place_in_a, k_size, to, row_a);
      of_b.store(source_of_b(), place_in_b, k_size, to + kChunk * row_a, row_b);
      k += k_size;
      if (k == shape.k) k = 0, ++member;
    };
    int now = 0, k_size = load_next();
    if (k_size > 0) store_next(k_size, scratch);
    team.barrier();
    while (k_size > 0) {
      const TA* const from = scratch + now * buffer;
      now = 1 - now;
      const int next_size = load_next();
      if (mine) add_products(acc, from + row, row_a, from + kChunk * row_a + col, row_b, k_size);
      if (next_size > 0) store_next(next_size, scratch + now * buffer);
      team.barrier();
      k_size = next_size;
    }

    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kTile; ++i) {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kTile; ++j) {
        const int c_row = row + i, c_col = col + j % 4 + j / 4 * (row_b / 2);
        if (!mine || c_row >= m || c_col >= n) continue;
        const std::int64_t place = shape.place_in_c(call.first_pixel + c_row);
        static_cast<TC*>(call.c)[place + c_col] =
            finished_element<TC, CalledCurves>(shape, call, acc[i][j], c_row, place, c_col);
      }
    }
  }
}

}  // namespace brickwork
