// Choices of the simd brick and of the planners that differ from one processor to the next. No result depends on them.
// "X instead of Y: n %" means that X takes n % less time.
#pragma once
#include <cstdint>

#include "kernels/brgemm/c_access.hpp"
#include "kernels/layout/sweep.hpp"

namespace brickwork {

// How an element of A gets into every lane of a vector. All tiles can use `registers`. The other ways are for generated
// tiles one vector wide, where an element serves a single FMA.
enum class SpreadA {
  registers,  // broadcast into a register, once per row of the tile
  // Several steps of some rows are loaded at once and spread by shuffles, which saves loads: 0.80 -> 0.97 of peak at 6
  // x 16 on Zen 5. Intel's cores shuffle on a port of the FMAs.
  shuffled,
  // The FMA loads it (AVX-512), four steps of a row one after the other, so that their addresses differ by constants:
  // with an index register in its address an FMA takes two issue slots on Intel's cores. At 14 x 16: 132 -> 156 GFLOP/s
  // on a busy Emerald Rapids, 159 -> 177 on a quiet one.
  memory
};
constexpr SpreadA kSpreads[] = {SpreadA::registers, SpreadA::shuffled, SpreadA::memory};

// Register tiles of 12 sums for a B beyond L1, if the registers hold no more than 12 sums.
enum class FarTiles {
  tall,  // six rows of two vectors: reads B least often
  wide   // three rows of four vectors: reads A least often, with the fewest instructions
};

// How a 1x1 convolution reads a src that no cache holds, if it meets each pixel once.
enum class FarSrc {
  runs,    // all features of a pixel as one long run in memory, which the hardware prefetches
  blocks,  // 64 features of one pixel after the other; a call prefetches those of a later pixel
  lines    // as blocks, but 16 features (a cache line)
};

// Over how many pixels of small images a call of a convolution's weight update sums.
enum class Reduction {
  deep,     // so many that the gradient's tile is seldom read and written
  shallow,  // so few that they stay in L1 for all rows of the tile
};

// Over how many pixels of an image a call of a 1x1 kernel's weight update sums, without a stride.
enum class PixelsOfCall {
  few,  // so few that both operands stay close for all rows of the tile
  many  // so many that the gradient's tile is seldom read and written
};

// How a recurrent layer sums if it has many rows and B is larger than what L1 keeps.
enum class Sums {
  whole,  // in one call: each register tile sums over all of B, and C is stored once
  parts   // in several calls, each over a part of B that stays in L1
};

// [v - 1]: most rows of a register tile v vectors wide that is not the only one of its call, if the registers hold as
// many. 28 x 64 is best in tiles of 6 rows; 7 x 64 is best in one tile, not in 4 + 3 rows: 0.97 instead of 0.90 of
// LIBXSMM's speed (Emerald Rapids).
constexpr int kMostRowsOfATile[] = {28, 14, 9, 6};

constexpr std::int64_t kMostInTuning = 1024;  // upper limit of its numbers

// The defaults lose little on any processor. A calibration finds the best values for a machine
// (primitives/planning/tuning/calibration.hpp).
struct SimdTuning {
  // Rows of B to prefetch ahead of their use; 0: none, the hardware does it. With 16 rows, 6 x 64 tiles with B
  // streaming from L2 rise from 0.75 to 0.98 of peak on Xeons (Granite Rapids), and lose 1 % on Zen 5.
  std::int64_t ahead = 16;
  // As `ahead`, for calls of at most six rows, which use B once. 32 instead of 0: 5 to 9 % in fully connected layers of
  // one image with weights in L3, on Zen 5. 0 instead of 32, on Zen 4: 10 to 20 % in those layers, 2 to 10 % with four
  // images, about 10 % in LSTMs of one sequence.
  std::int64_t few = 32;
  SpreadA spread = SpreadA::registers;
  // Wide instead of tall, with AVX2 on a Zen 4: 2 to 3 % in ResNet-50's 1x1 layers of small images, 4 % in LSTMs of
  // 1024 features, 3 to 7 % in fully connected layers of 2048 and 4096 features, forward and backward by data. Tall
  // instead of wide: up to 3 % (Zen 3).
  FarTiles tiles = FarTiles::tall;
  // How bricks access a C that no cache holds, if stores are dense (64 FMAs per element). Storing past the caches
  // halves the traffic; prefetching instead: 5 to 8 % in ResNet-50's 1x1 layers on an Emerald Rapids.
  CAccess far = CAccess::prefetch;
  // Used by a convolution's planner. Blocks instead of runs: 7 to 20 % in ResNet-50's 1x1 layers 7, 10 and 12 with 28
  // images on Zen 5. Lines instead of runs: 10, 5 and 5 % in layers 2, 7 and 9 on Zen 4, where blocks lose as much.
  // Runs instead of blocks: 2 to 17 % in the 1x1 layers on an Emerald Rapids.
  FarSrc src = FarSrc::runs;
  // Whether a filter with few input features (a network's first layer) has blocks of output features one vector wide,
  // with tiles 28 pixels high, instead of four vectors wide. Narrow instead of wide: 8 % in ResNet-50's first layer on
  // an Emerald Rapids. Wide instead of narrow: 6 % on Zen 5.
  bool narrow = true;
  // Shallow instead of deep: 7 to 20 % in ResNet-50's last layers, with images of 7 x 7, on Zen 5.
  Reduction reduction = Reduction::deep;
  // Many instead of few: 2 to 6 % in ResNet-50's 1x1 layers of 56 x 56 and 28 x 28 pixels on Zen 5. Few instead of
  // many: 5 to 17 % in 1x1 layers on Emerald Rapids.
  PixelsOfCall pixels = PixelsOfCall::few;
  // Parts instead of whole, on Zen 5: 2 to 5 % in an LSTM of 256 features forward, 3 to 6 % in LSTMs of 256 to 1024
  // features backward.
  Sums sums = Sums::whole;
  // How batch normalisation's gradient, pooling and softmax access tensors that no cache holds. With stream_l2 instead
  // of stream, on Zen 4, ResNet-50's first pooling takes two thirds of the time, softmax over 32000 classes three
  // quarters, gradients of batch normalisations two thirds to all of it.
  Sweep sweep = Sweep::stream;

  // Facts of the core, not part of a tuning's text: find_tuning() fills them in.

  // KiB of L1 that B may fill and stay there while the row tiles of a call pass. A larger B is prefetched by each tile,
  // a smaller one by the first tile only. Prefetching what is already in L1 costs 2 to 8 % of the time of a 1x1
  // convolution if a neighbour takes half of the core's issue slots (Emerald Rapids).
  std::int64_t kept = 32;
  // 16 vector registers instead of 32. A register tile is then 16 floats wide, and the rows of B that it reads from a
  // block of 64 features lie so far apart that they meet in a quarter of L1's sets.
  bool few_registers = false;

  friend bool operator==(const SimdTuning&, const SimdTuning&) = default;
};

}  // namespace brickwork
