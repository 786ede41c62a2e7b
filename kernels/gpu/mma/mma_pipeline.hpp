// Runs a call of a GPU brick tile by tile, and each tile step by step through the ring of stages. Tile and Block: see
// brgemm_mma.hpp. Products is the part that differs between bricks:
//   begin(block, sums)                         before the first step
//   step(block, copies, reads, writes, sums)   copies into the stage `writes`, products of the stage `reads`
//   finish(block)                              waits until the caller's products are done
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/mma/mma_copies.hpp"
#include "kernels/gpu/mma/mma_sums.hpp"

namespace brickwork::mma {

template <class Tile, class TC, class Products, class Block>
BRICKWORK_HOST_DEVICE void multiply_tiles(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  using Ring = typename Tile::Ring;
  const int m = call.rows < 0 ? shape.m : call.rows;
  const int steps = static_cast<int>(call.batch.size) * ((shape.k + Tile::kK - 1) / Tile::kK);

  for (int row = 0; row < m; row += Tile::kM) {
    for (int col = 0; col < shape.n; col += Tile::kN) {
      const int rows = m - row < Tile::kM ? m - row : Tile::kM,
                cols = shape.n - col < Tile::kN ? shape.n - col : Tile::kN;
      typename Block::template PerWarp<typename Tile::template Sums<typename Block::Warp>> sums{};
      Products::begin(block, sums);
      TileCopies<Tile, Block> copies(block, shape, call, row, col, rows, cols);

      int reads = 0, writes = 0;
      for (; writes < Ring::kAhead; ++writes) copies.bring(writes);
      BRICKWORK_DEVICE_NO_UNROLL for (int step = 0; step < steps; ++step) {
        Products::step(block, copies, reads, writes, sums);
        reads = Ring::next(reads), writes = Ring::next(writes);
      }

      Products::finish(block);
      block.template wait<0>();
      block.barrier();
      finish_tile<Tile, TC>(block, shape, call, row, col, rows, cols, sums);
    }
  }
}

// Products that are done when the step ends. Each warp calls multiply<Tile>(block, warp, number, stage, sums).
template <class Tile>
struct ProductsAtOnce {
  template <class Block, class Sums>
  BRICKWORK_HOST_DEVICE static void begin(Block&, Sums&) {}
  template <class Block>
  BRICKWORK_HOST_DEVICE static void finish(Block&) {}

  template <class Block, class Copies, class Sums>
  BRICKWORK_HOST_DEVICE static void step(Block& block, Copies& copies, int reads, int writes, Sums& sums) {
    block.template wait<Tile::Ring::kUnfinished>();
    block.barrier();  // all threads see this step's copies, and all have read the stage that is written next
    copies.bring(writes);
    block.each_warp([&](typename Block::Warp& warp, int number) {
      multiply<Tile>(block, warp, number, reads * Tile::kStageBytes, sums[number]);
    });
  }
};

}  // namespace brickwork::mma
