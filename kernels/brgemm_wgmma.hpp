// The brick on Hopper's tensor cores: wgmma on bf16 in shared memory, with sums in f32. As brgemm_mma.hpp has it, but
// the products are asynchronous, too: those of a step go on while the next one's copies are waited for, and a stage is
// written again once the step before the last is finished. For the "a" variant of sm_90 alone.
//
// A block's warps are groups of four, of 64 rows each. Beside what brgemm_mma.hpp asks of a block:
//   publish()                 makes copies that were waited for known to products
//   commit_products()         ends a group of products
//   wait_products<n>()        waits for all but the last n groups
//   Warp::keep(sums)          sums are in registers: zeros that come later, between products, end the pipeline
//   Warp::begin_products()    before the first product of a group
//   Warp::multiply_add<Tile>(sums, number, a, b)   its 16 rows' products of 16 steps over k, of operands at a and b
#pragma once
#include <cstdint>

#include "bf16.hpp"
#include "brgemm.hpp"
#include "host_device.hpp"
#include "mma_copies.hpp"
#include "mma_fragments.hpp"
#include "mma_sums.hpp"

namespace brickwork {

// Sums of a block, of m x n, k steps at a time.
template <int m, int n, int k, int stages, int blocks, bool a_transposed = false>
struct WgmmaTile {
  using Element = bf16;
  using Mma = mma::Fragments<bf16>;  // of which a warp's 16 rows of sums consist
  using Ring = mma::Ring<stages, 1>;
  using A = mma::SwizzledTile<bf16, m, k, !a_transposed>;
  using B = mma::SwizzledTile<bf16, n, k, false>;

  static constexpr int kM = m, kN = n, kK = k, kStages = stages;
  static constexpr int kBlocks = blocks;  // of a multiprocessor, whose registers suffice for so many
  static constexpr int kGroupM = 64, kWarpsOfGroup = 4, kStepK = 16;
  static constexpr int kWarpM = kGroupM / kWarpsOfGroup, kWarpN = n, kWarpsN = 1;  // of a warp
  static constexpr int kWarps = m / kWarpM, kThreads = kWarps * mma::kLanes;
  static constexpr bool kATransposed = a_transposed;
  static constexpr int kStageBytes = A::kBytes + B::kBytes;
  static constexpr int kSumsRow = (n + 8) * 4;  // bytes: rows of sums that a warp stores lie in different banks
  static constexpr int kScratch = stages * kStageBytes > m* kSumsRow ? stages* kStageBytes : m* kSumsRow;
  static_assert(m % kGroupM == 0 && n % 64 == 0 && n <= 256 && k == 64, "rows of 128 bytes");
  static_assert(kScratch <= 227 * 1024, "the most that a block of sm_90 has");
};

namespace mma {

// One warp's products of a stage.
template <class Tile, class Warp>
BRICKWORK_HOST_DEVICE void multiply_stage(Warp& warp, int number, int stage, WarpSums<Tile, Warp>& sums) {
  using A = typename Tile::A;
  using B = typename Tile::B;
  const int a = stage + number / Tile::kWarpsOfGroup * A::kNextX, b = stage + A::kBytes;
  warp.begin_products();
  BRICKWORK_DEVICE_UNROLL for (int step = 0; step < Tile::kK / Tile::kStepK; ++step) {
    warp.template multiply_add<Tile>(sums.of[0], number, a + step * A::kNextK, b + step * B::kNextK);
  }
}

}  // namespace mma

// To be called by every thread of a block of Tile::kThreads, with Tile::kScratch bytes of scratch, aligned
// to 1024, and with A transposed as the tile says. The block leaves through a barrier: the scratch is free again.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void brgemm_wgmma(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  using Ring = typename Tile::Ring;
  using Warp = typename Block::Warp;
  const int m = call.rows < 0 ? shape.m : call.rows;
  const std::int64_t steps = call.batch.size * ((shape.k + Tile::kK - 1) / Tile::kK);

  for (int row = 0; row < m; row += Tile::kM) {
    for (int col = 0; col < shape.n; col += Tile::kN) {
      const int rows = m - row < Tile::kM ? m - row : Tile::kM,
                cols = shape.n - col < Tile::kN ? shape.n - col : Tile::kN;
      typename Block::template PerWarp<mma::WarpSums<Tile, Warp>> sums{};
      block.each_warp([&](Warp& warp, int number) { warp.keep(sums[number].of[0]); });
      mma::TileCopies<Tile, Block> copies(block, shape, call, row, col, rows, cols);

      int reads = 0, writes = 0;
      for (; writes < Ring::kAhead; ++writes) copies.bring(writes);
      BRICKWORK_DEVICE_NO_UNROLL for (std::int64_t step = 0; step < steps; ++step) {
        block.template wait<Ring::kUnfinished>();
        block.publish();
        block.barrier();  // this step's copies are there for all, and all have finished the step before the last
        block.each_warp([&](Warp& warp, int number) {
          mma::multiply_stage<Tile>(warp, number, reads * Tile::kStageBytes, sums[number]);
        });
        block.commit_products();
        copies.bring(writes);
        block.template wait_products<1>();
        reads = Ring::next(reads), writes = Ring::next(writes);
      }

      block.template wait_products<0>();
      block.template wait<0>();
      block.barrier();
      mma::finish_tile<Tile, TC>(block, shape, call, row, col, rows, cols, sums);
    }
  }
}

}  // namespace brickwork
