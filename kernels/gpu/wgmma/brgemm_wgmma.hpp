// The brick on Hopper's tensor cores: wgmma on bf16 in shared memory, with sums in f32, for sm_90a only. It works as
// brgemm_mma.hpp, but the products are asynchronous, too: those of a step continue while the block waits for the next
// step's copies, and a stage is written again once the step before the last is finished.
//
// A block's warps form groups of four with 64 rows each. In addition to brgemm_mma.hpp a Block has:
//   publish()                 makes copies that were waited for visible to products
//   commit_products()         ends a group of products
//   wait_products<n>()        waits for all but the last n groups
//   Warp::keep(sums)          puts sums into registers: zeroing them later, between products, would end the pipeline
//   Warp::begin_products()    comes before the first product of a group
//   Warp::multiply_add<Tile>(sums, number, a, b)   the products of its 16 rows over 16 steps, of operands at a and b
#pragma once
#include <cstdint>

#include "kernels/base/bf16.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"
#include "kernels/gpu/mma/mma_pipeline.hpp"
#include "kernels/gpu/mma/mma_sums.hpp"

namespace brickwork {

// The tile of a block: m x n sums, k steps at a time.
template <int m, int n, int k, int stages, int blocks, bool a_transposed = false>
struct WgmmaTile {
  using Element = bf16;
  using Mma = mma::Fragments<bf16>;  // the 16 rows of sums of a warp consist of such fragments
  using Ring = mma::Ring<stages, 1>;
  using A = mma::SwizzledTile<bf16, m, k, !a_transposed>;
  using B = mma::SwizzledTile<bf16, n, k, false>;

  static constexpr int kM = m, kN = n, kK = k, kStages = stages;
  static constexpr int kBlocks = blocks;  // blocks for which the registers of a multiprocessor suffice
  static constexpr int kGroupM = 64, kWarpsOfGroup = 4, kStepK = 16;
  static constexpr int kWarpM = kGroupM / kWarpsOfGroup, kWarpN = n, kWarpsN = 1;  // of a warp
  static constexpr int kWarps = m / kWarpM, kThreads = kWarps * mma::kLanes;
  static constexpr bool kATransposed = a_transposed, kTransposesA = false, kPlainAdds = false, kKeepsBatch = true,
                        kInlined = true;
  static constexpr int kStageBytes = A::kBytes + B::kBytes;
  static constexpr int kSumsRow = (n + 8) * 4;  // bytes: rows of sums that a warp stores lie in different banks
  static constexpr int kCopiesOfSums = 1;
  using Memory = mma::BlockMemory<Ring, kStageBytes, m * kSumsRow, m, k, a_transposed>;
  static constexpr int kScratch = Memory::kBytes;
  static_assert(m % kGroupM == 0 && n % 64 == 0 && n <= 256 && k == 64, "rows of 128 bytes");

  template <class Warp>
  using Sums = mma::WarpSums<WgmmaTile, Warp>;
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

// Products that continue during the next step, for multiply_tiles().
template <class Tile>
struct ProductsUnderWay {
  template <class Block, class Sums>
  BRICKWORK_HOST_DEVICE static void begin(Block& block, Sums& sums) {
    block.each_warp([&](typename Block::Warp& warp, int number) { warp.keep(sums[number].of[0]); });
  }
  template <class Block>
  BRICKWORK_HOST_DEVICE static void finish(Block& block) {
    block.template wait_products<0>();
  }

  template <class Block, class Copies, class Sums>
  BRICKWORK_HOST_DEVICE static void step(Block& block, Copies& copies, int reads, int writes, Sums& sums) {
    block.template wait<Tile::Ring::kUnfinished>();
    block.publish();
    block.barrier();  // all threads see this step's copies, and all have finished the step before the last
    block.each_warp([&](typename Block::Warp& warp, int number) {
      multiply_stage<Tile>(warp, number, reads * Tile::kStageBytes, sums[number]);
    });
    block.commit_products();
    copies.bring(writes);
    block.template wait_products<1>();
  }
};

}  // namespace mma

// Every thread of a block of Tile::kThreads calls it, with Tile::kScratch bytes of scratch, aligned to 1024, and A
// transposed as the tile says. The block leaves through a barrier: the scratch is free again.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void brgemm_wgmma(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  mma::multiply_tiles<Tile, TC, mma::ProductsUnderWay<Tile>>(block, shape, call);
}

}  // namespace brickwork
