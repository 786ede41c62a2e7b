// The brick on tensor cores: mma.sync on bf16, or on f32 as TF32, with sums in f32. brgemm.hpp states the contract; a
// call's members and their steps over k pass by as one sequence, through a ring of stages in shared memory that
// cp.async fills. The order of sums is that of the members, the same in every run.
//
// A block of threads does a call. What it can do is a parameter: CudaWarps (cuda_warps.cuh), or HostWarps
// (testing/host_warps.hpp), which runs the same code on the host, a warp after the other between two barriers:
//   each_thread(f), each_warp(f)   f(thread), f(warp, its number): on a device for those that call
//   PerWarp<S>, Warp::Lanes<S>     state of each warp, of each lane
//   copy_async(to, from, bytes)    16 bytes of shared memory: so many from global memory, then zeros
//   commit(), wait<n>()            end a group of copies; wait for all but the last n groups
//   load<T>(from), store(to, x)    shared memory, whose places are bytes from the call's scratch, aligned to 128
#pragma once
#include <cstdint>

#include "brgemm.hpp"
#include "finished_element.hpp"
#include "host_device.hpp"
#include "mma_fragments.hpp"

namespace brickwork {

// Sums of a block, of `m` x `n`, `k` steps at a time: each of its warps has an equal part.
template <class T, int m, int n, int k, int warps_m, int warps_n, int stages, bool a_transposed = false>
struct MmaTile {
  using Element = T;
  using Mma = mma::Fragments<T>;
  using Ring = mma::Ring<stages>;
  using A = mma::SharedTile<T, m, k, !a_transposed>;
  using B = mma::SharedTile<T, n, k, false>;

  static constexpr int kM = m, kN = n, kK = k, kWarpsN = warps_n, kStages = stages;
  static constexpr int kWarpM = m / warps_m, kWarpN = n / warps_n;  // of a warp
  static constexpr int kWarps = warps_m * warps_n, kThreads = kWarps * mma::kLanes;
  static constexpr bool kATransposed = a_transposed;
  static constexpr int kStageBytes = A::kBytes + B::kBytes;
  static constexpr int kSumsRow = (n + 8) * 4;  // bytes: rows of sums that a warp stores lie in different banks
  static constexpr int kScratch = stages * kStageBytes > m* kSumsRow ? stages* kStageBytes : m* kSumsRow;
  static_assert(kWarpM % Mma::kM == 0 && kWarpN % (2 * Mma::kN) == 0 && k % Mma::kK == 0);
  static_assert(kScratch <= 227 * 1024, "the most that a block of sm_90 has");
};

namespace mma {

// Where the copies have got to.
template <class T>
struct Cursor {
  std::int64_t member = 0;
  int k = 0;
  const T *a = nullptr, *b = nullptr;  // of the member

  BRICKWORK_HOST_DEVICE void enter(const Batch& batch) {
    if (member < batch.size) a = batch.a<T>(member), b = batch.b<T>(member);
  }
  // Reads where the next member lies now, while there is time.
  BRICKWORK_HOST_DEVICE void advance(const Batch& batch, int step, int size) {
    k += step;
    if (k < size) return;
    k = 0;
    ++member;
    enter(batch);
  }
};

// One thread's share of a tile's rows x cols, which begin at source; zeros beyond them.
template <class Tile, int threads, class T, class Block>
BRICKWORK_HOST_DEVICE void bring(Block& block, int thread, int to, const T* source, std::int64_t ld, int rows,
                                 int cols) {
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(source) | static_cast<std::uintptr_t>(ld * Tile::kElement)) % kCopied == 0;
  BRICKWORK_DEVICE_UNROLL for (int c = thread; c < Tile::kRows * Tile::kChunks; c += threads) {
    const int row = c / Tile::kChunks, chunk = c % Tile::kChunks, left = cols - chunk * Tile::kChunk;
    const int live = row >= rows || left < 0 ? 0 : left < Tile::kChunk ? left : Tile::kChunk;
    const T* const from = live == 0 ? source : source + row * ld + chunk * Tile::kChunk;
    const int at = to + Tile::chunk(row, chunk);
    if (aligned) {
      block.copy_async(at, from, live * Tile::kElement);
    } else {
      for (int e = 0; e < Tile::kChunk; ++e) block.store(at + e * Tile::kElement, e < live ? from[e] : T(0));
    }
  }
}

// Fragments of A and B from row or column x and step k of a stage on.
template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void load_a(Block& block, typename Block::Warp& warp, int stage, int x, int k,
                                  typename Block::Warp::template Lanes<Registers>& to) {
  using T = typename Tile::Element;
  if constexpr (sizeof(T) == 2) {
    warp.template load_matrices<Tile::kATransposed>(to, [&](int lane) {
      const XAndK at = matrix_row_of_a<!Tile::kATransposed>(lane);
      return stage + Tile::A::element(x + at.x, k + at.k);
    });
  } else {
    warp.each_lane([&](int lane) {
      BRICKWORK_DEVICE_UNROLL for (int r = 0; r < 4; ++r) {
        const XAndK at = Tile::Mma::a(lane, r, 0);
        to[lane].of[r] = warp.to_tf32(block.template load<float>(stage + Tile::A::element(x + at.x, k + at.k)));
      }
    });
  }
}

template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void load_b(Block& block, typename Block::Warp& warp, int stage, int x, int k,
                                  typename Block::Warp::template Lanes<Registers>& to) {
  using T = typename Tile::Element;
  const int tile = stage + Tile::A::kBytes;
  if constexpr (sizeof(T) == 2) {
    warp.template load_matrices<true>(to, [&](int lane) {
      const XAndK at = matrix_row_of_b(lane);
      return tile + Tile::B::element(x + at.x, k + at.k);
    });
  } else {
    warp.each_lane([&](int lane) {
      BRICKWORK_DEVICE_UNROLL for (int r = 0; r < 4; ++r) {
        const XAndK at = Tile::Mma::b(lane, r, 0);
        to[lane].of[r] = warp.to_tf32(block.template load<float>(tile + Tile::B::element(x + at.x, k + at.k)));
      }
    });
  }
}

template <class Tile, class Warp>
struct WarpSums {
  static constexpr int kRows = Tile::kWarpM / Tile::Mma::kM, kCols = Tile::kWarpN / Tile::Mma::kN;
  typename Warp::template Lanes<Sums> of[kRows][kCols];
};

// One warp's products of a stage from step k on.
template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void multiply_step(Block& block, typename Block::Warp& warp, int row, int col, int stage, int k,
                                         WarpSums<Tile, typename Block::Warp>& sums) {
  using S = WarpSums<Tile, typename Block::Warp>;
  typename Block::Warp::template Lanes<Registers> a[S::kRows], b[S::kCols / 2];
  BRICKWORK_DEVICE_UNROLL for (int i = 0; i < S::kRows; ++i) {
    load_a<Tile>(block, warp, stage, row + i * Tile::Mma::kM, k, a[i]);
  }
  BRICKWORK_DEVICE_UNROLL for (int j = 0; j < S::kCols / 2; ++j) {
    load_b<Tile>(block, warp, stage, col + j * 2 * Tile::Mma::kN, k, b[j]);
  }
  BRICKWORK_DEVICE_UNROLL for (int i = 0; i < S::kRows; ++i) {
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < S::kCols; ++j) {
      warp.template multiply_add<typename Tile::Element>(sums.of[i][j], a[i], b[j / 2], j % 2);
    }
  }
}

// All of them. Of f32 each element has an address of its own: those of a whole stage would spill.
template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void multiply(Block& block, typename Block::Warp& warp, int number, int stage,
                                    WarpSums<Tile, typename Block::Warp>& sums) {
  const int row = number / Tile::kWarpsN * Tile::kWarpM, col = number % Tile::kWarpsN * Tile::kWarpN;
  if constexpr (sizeof(typename Tile::Element) == 2) {
    BRICKWORK_DEVICE_UNROLL for (int k = 0; k < Tile::kK; k += Tile::Mma::kK) {
      multiply_step<Tile>(block, warp, row, col, stage, k, sums);
    }
  } else {
    BRICKWORK_DEVICE_NO_UNROLL for (int k = 0; k < Tile::kK; k += Tile::Mma::kK) {
      multiply_step<Tile>(block, warp, row, col, stage, k, sums);
    }
  }
}

template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void store_sums(Block& block, typename Block::Warp& warp, int number,
                                      WarpSums<Tile, typename Block::Warp>& sums) {
  using S = WarpSums<Tile, typename Block::Warp>;
  const int row = number / Tile::kWarpsN * Tile::kWarpM, col = number % Tile::kWarpsN * Tile::kWarpN;
  warp.each_lane([&](int lane) {
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < S::kRows; ++i) {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < S::kCols; ++j) {
        BRICKWORK_DEVICE_UNROLL for (int r = 0; r < 4; ++r) {
          const RowAndColumn at = sum_at(lane, r);
          block.store((row + i * Tile::Mma::kM + at.row) * Tile::kSumsRow + (col + j * Tile::Mma::kN + at.col) * 4,
                      sums.of[i][j][lane].of[r]);
        }
      }
    }
  });
}

// From shared memory to C, four neighbours at a time: there they are next to each other whatever the fragments, and the
// epilogue's curves are compiled once and not for every register.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void store_c(Block& block, int thread, const BrgemmShape& shape, const BrgemmCall& call, int row0,
                                   int col0, int rows, int cols) {
  constexpr int kFour = 4, kPerRow = Tile::kN / kFour;
  struct alignas(kFour * sizeof(TC)) Four {
    TC of[kFour];
  };
  BRICKWORK_DEVICE_NO_UNROLL for (int e = thread; e < Tile::kM * kPerRow; e += Tile::kThreads) {
    const int row = e / kPerRow, col = e % kPerRow * kFour;
    if (row >= rows || col >= cols) continue;
    const int live = cols - col < kFour ? cols - col : kFour;
    TC* const c = static_cast<TC*>(call.c) + (row0 + row) * shape.ldc + col0 + col;
    Four four;
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kFour; ++j) {
      if (j >= live) continue;
      const float sum = block.template load<float>(row * Tile::kSumsRow + (col + j) * 4);
      four.of[j] = finished_element(shape, call, sum, c[j], row0 + row, col0 + col + j);
    }
    if (live == kFour && reinterpret_cast<std::uintptr_t>(c) % sizeof(Four) == 0) {
      *reinterpret_cast<Four*>(c) = four;
    } else {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kFour; ++j) {
        if (j < live) c[j] = four.of[j];
      }
    }
  }
}

}  // namespace mma

// To be called by every thread of a block of Tile::kThreads, with Tile::kScratch bytes of scratch, and with A
// transposed as the tile says. The block leaves through a barrier: the scratch is free again.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void brgemm_mma(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  using T = typename Tile::Element;
  using Ring = typename Tile::Ring;
  using Warp = typename Block::Warp;
  const int m = call.rows < 0 ? shape.m : call.rows;
  const std::int64_t steps = call.batch.size * ((shape.k + Tile::kK - 1) / Tile::kK);

  for (int row = 0; row < m; row += Tile::kM) {
    for (int col = 0; col < shape.n; col += Tile::kN) {
      const int rows = m - row < Tile::kM ? m - row : Tile::kM,
                cols = shape.n - col < Tile::kN ? shape.n - col : Tile::kN;
      typename Block::template PerWarp<mma::WarpSums<Tile, Warp>> sums{};
      mma::Cursor<T> copied;
      copied.enter(call.batch);

      const auto bring = [&](int stage) {
        if (copied.member < call.batch.size) {
          const int left = shape.k - copied.k, k = left < Tile::kK ? left : Tile::kK, to = stage * Tile::kStageBytes;
          const T* const a = copied.a + row * shape.row_of_a() + copied.k * shape.step_of_a();
          const T* const b = copied.b + copied.k * shape.ldb + col;
          block.each_thread([&](int thread) {
            mma::bring<typename Tile::A, Tile::kThreads>(block, thread, to, a, shape.lda, Tile::kATransposed ? k : rows,
                                                         Tile::kATransposed ? rows : k);
            mma::bring<typename Tile::B, Tile::kThreads>(block, thread, to + Tile::A::kBytes, b, shape.ldb, k, cols);
          });
          copied.advance(call.batch, Tile::kK, shape.k);
        }
        block.commit();  // of nothing, too, so that the groups count the steps
      };

      int reads = 0, writes = 0;
      for (; writes < Ring::kAhead; ++writes) bring(writes);
      BRICKWORK_DEVICE_NO_UNROLL for (std::int64_t step = 0; step < steps; ++step) {
        block.template wait<Ring::kUnfinished>();
        block.barrier();  // this step's copies are there for all, and all have read the stage that is written next
        bring(writes);
        block.each_warp([&](Warp& warp, int number) {
          mma::multiply<Tile>(block, warp, number, reads * Tile::kStageBytes, sums[number]);
        });
        reads = Ring::next(reads), writes = Ring::next(writes);
      }

      block.template wait<0>();
      block.barrier();
      block.each_warp([&](Warp& warp, int number) { mma::store_sums<Tile>(block, warp, number, sums[number]); });
      block.barrier();
      block.each_thread([&](int thread) { mma::store_c<Tile, TC>(block, thread, shape, call, row, col, rows, cols); });
      block.barrier();
    }
  }
}

}  // namespace brickwork
