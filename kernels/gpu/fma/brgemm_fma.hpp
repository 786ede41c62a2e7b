// The brick of a GPU in strict f32: multiply-adds on all lanes, with operands from the ring of stages in shared memory
// that brgemm_mma.hpp uses for tensor cores. brgemm.hpp states the contract. The order of sums is the same in every
// run.
//
// Block: as in brgemm_mma.hpp. Its Warp needs only each_lane(); in addition it has
//   copy_element_async<all>(to, from, live)   as copy_async, for 4 bytes
#pragma once
#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"
#include "kernels/gpu/mma/mma_pipeline.hpp"
#include "kernels/gpu/mma/mma_sums.hpp"

namespace brickwork {

// The tile of a block: m x n sums, k steps at a time. Each warp has an equal part of it, and each lane an equal part of
// that. If warps_k > 1, that many groups of warps have the same sums, each for its share of the steps.
//
// A is transposed on its way to shared memory, unless it already is: a lane's eight rows at a step then lie in
// neighbouring registers. When a lane read four steps of each row, they were four registers apart, all in one of the
// two banks that an operand comes from, and the products took 12 % longer (H100).
template <int m, int n, int k, int warps_m, int warps_n, int warps_k, int stages, int blocks, bool a_transposed = false>
struct FmaTile {
  using Element = float;
  using Ring = mma::Ring<stages>;
  using A = mma::PaddedTile<float, m, k>;
  using B = mma::PaddedTile<float, n, k>;
  using Lanes = mma::LanesOfWarp<m / warps_m, n / warps_n>;

  static constexpr int kM = m, kN = n, kK = k, kStages = stages;
  static constexpr int kBlocks = blocks;  // blocks for which the registers of a multiprocessor suffice
  static constexpr int kWarpM = m / warps_m, kWarpN = n / warps_n;  // of a warp
  static constexpr int kWarpsN = warps_n, kWarpsMN = warps_m * warps_n;
  static constexpr int kStepsOfWarp = k / warps_k;
  static constexpr int kWarps = kWarpsMN * warps_k, kThreads = kWarps * mma::kLanes;
  static constexpr bool kATransposed = a_transposed, kTransposesA = !a_transposed, kPlainAdds = true,
                        kKeepsBatch = false, kInlined = true;
  static constexpr int kStageBytes = A::kBytes + B::kBytes;
  // Bytes. Rows of sums that lanes store at once lie in different banks.
  static constexpr int kSumsRow = (n + 4) * 4, kCopiesOfSums = warps_k, kSumsBytes = warps_k * m * kSumsRow;
  using Memory = mma::BlockMemory<Ring, kStageBytes, kSumsBytes, m, k, a_transposed>;
  static constexpr int kScratch = Memory::kBytes;
  static_assert(k % (8 * warps_k) == 0);

  template <class Warp>
  using Sums = mma::LaneSums<FmaTile, Warp>;
};

namespace mma {

// The products of one lane for its share of a stage, which begins at step k.
template <class Tile, class Block, class Sums>
BRICKWORK_HOST_DEVICE void multiply_lane(Block& block, int lane, int row, int col, int k, int stage, Sums& sums) {
  using L = typename Tile::Lanes;
  const int at_a = stage + Tile::A::element(row + L::row(lane, 0), k);
  const int at_b = stage + Tile::A::kBytes + Tile::B::element(col + L::col(lane, 0), k);
  // Loads A for this many steps at once. Loading all steps of a stage in a row is more code than the instruction caches
  // hold.
  constexpr int kStepsAhead = 8;
  BRICKWORK_DEVICE_NO_UNROLL for (int first = 0; first < Tile::kStepsOfWarp; first += kStepsAhead) {
    float a[kStepsAhead][L::kRows / kFloatsAtOnce][kFloatsAtOnce];
    BRICKWORK_DEVICE_UNROLL for (int step = 0; step < kStepsAhead; ++step) {
      BRICKWORK_DEVICE_UNROLL for (int i = 0; i < L::kRows; i += kFloatsAtOnce) {
        block.load_four(at_a + Tile::A::element(0, first) + Tile::A::element(i * L::kDown, step),
                        a[step][i / kFloatsAtOnce]);
      }
    }
    BRICKWORK_DEVICE_UNROLL for (int step = 0; step < kStepsAhead; ++step) {
      float b[L::kCols / kFloatsAtOnce][kFloatsAtOnce];
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < L::kCols; j += kFloatsAtOnce) {
        block.load_four(at_b + Tile::B::element(0, first) + Tile::B::element(j * L::kAcross, step),
                        b[j / kFloatsAtOnce]);
      }
      BRICKWORK_DEVICE_UNROLL for (int i = 0; i < L::kRows; ++i) {
        BRICKWORK_DEVICE_UNROLL for (int j = 0; j < L::kCols; ++j) {
          sums.of[i][j] += a[step][i / kFloatsAtOnce][i % kFloatsAtOnce] * b[j / kFloatsAtOnce][j % kFloatsAtOnce];
        }
      }
    }
  }
}

template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void multiply(Block& block, typename Block::Warp& warp, int number, int stage,
                                    LaneSums<Tile, typename Block::Warp>& sums) {
  const int in_group = number % Tile::kWarpsMN, k = number / Tile::kWarpsMN * Tile::kStepsOfWarp;
  const int row = in_group / Tile::kWarpsN * Tile::kWarpM, col = in_group % Tile::kWarpsN * Tile::kWarpN;
  warp.each_lane([&](int lane) { multiply_lane<Tile>(block, lane, row, col, k, stage, sums.of[lane]); });
}

}  // namespace mma

// Every thread of a block of Tile::kThreads calls it, with Tile::kScratch bytes of scratch and A transposed as the tile
// says. The block leaves through a barrier: the scratch is free again.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void brgemm_fma(Block& block, const BrgemmShape& shape, const BrgemmCall& call) {
  mma::multiply_tiles<Tile, TC, mma::ProductsAtOnce<Tile>>(block, shape, call);
}

}  // namespace brickwork
