// The brick on tensor cores: mma.sync on bf16, or on f32 as TF32, with sums in f32. brgemm.hpp states the contract. The
// members of a call and their steps over k form one sequence, which passes through a ring of stages in shared memory
// that cp.async fills. Sums are added in the order of the members, the same in every run.
//
// A block of threads computes a call. Its operations are a parameter, Block: CudaWarps (cuda_warps.cuh), or HostWarps
// (kernels/testing/host_warps.hpp), which runs the same code on the host, one warp after the other between two
// barriers:
//   each_thread(f), each_warp(f)      calls f(thread), f(warp, its number); on a device for the caller only
//   PerThread<S>, PerWarp<S>          state of each thread, of each warp
//   Warp::Lanes<S>                    state of each lane
//   copy_async<all>(to, from, live)   16 bytes from global to shared memory, or zeros if not live; all: always live
//   commit(), wait<n>()               end a group of copies; wait for all but the last n groups
//   load<T>(from), load_four(from, four), store(to, x), store_two(to, x, next)
//                                     access shared memory; places are in bytes from the start of the call's scratch
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"
#include "kernels/gpu/mma/mma_pipeline.hpp"
#include "kernels/gpu/mma/mma_sums.hpp"

namespace brickwork {

// The tile of a block: m x n sums, k steps at a time. Each warp has an equal part.
template <class T, int m, int n, int k, int warps_m, int warps_n, int stages, bool a_transposed = false>
struct MmaTile {
  using Element = T;
  using Mma = mma::Fragments<T>;
  using Ring = mma::Ring<stages>;
  using A = mma::SharedTile<T, m, k, !a_transposed>;
  using B = mma::SharedTile<T, n, k, false>;

  static constexpr int kM = m, kN = n, kK = k, kWarpsN = warps_n, kStages = stages;
  static constexpr int kBlocks = 1;  // blocks for which the registers of a multiprocessor suffice
  static constexpr int kWarpM = m / warps_m, kWarpN = n / warps_n;  // of a warp
  static constexpr int kWarps = warps_m * warps_n, kThreads = kWarps * mma::kLanes;
  static constexpr bool kATransposed = a_transposed, kTransposesA = false, kPlainAdds = false, kKeepsBatch = true,
                        kInlined = false;
  static constexpr int kStageBytes = A::kBytes + B::kBytes;
  static constexpr int kSumsRow = (n + 8) * 4;  // bytes: rows of sums that a warp stores lie in different banks
  static constexpr int kCopiesOfSums = 1;
  using Memory = mma::BlockMemory<Ring, kStageBytes, m * kSumsRow, m, k, a_transposed>;
  static constexpr int kScratch = Memory::kBytes;
  static_assert(kWarpM % Mma::kM == 0 && kWarpN % (2 * Mma::kN) == 0 && k % Mma::kK == 0);

  template <class Warp>
  using Sums = mma::WarpSums<MmaTile, Warp>;
};

namespace mma {

// Load fragments of A and B, from row or column x and step k of a stage on.
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

// One warp's products of Mma::kK steps of a stage, from step k on.
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

// One warp's products of a stage. Not unrolled for f32: there each element has its own address, and the addresses of a
// whole stage would spill.
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

}  // namespace mma

// Every thread of a block of Tile::kThreads calls it, with Tile::kScratch bytes of scratch and A transposed as the tile
// says. The block leaves through a barrier: the scratch is free again.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void brgemm_mma(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  mma::multiply_tiles<Tile, TC, mma::ProductsAtOnce<Tile>>(block, shape, call);
}

}  // namespace brickwork
