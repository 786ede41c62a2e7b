// What the simd brick may do differently from one processor to the next. No result depends on it.
#pragma once
#include <cstdint>

#include "kernels/brgemm/c_access.hpp"
#include "kernels/layout/sweep.hpp"

namespace brickwork {

// How an element of A comes to every lane of a vector. All tiles have the first way, and the others generated ones that
// are one vector wide, where each element serves a single FMA.
enum class SpreadA {
  registers,  // it is broadcast to a register, once for a row of the tile
  // Several steps of some rows are loaded at once and spread by shuffles, which spares loads: 0.80 -> 0.97 of peak at
  // 6 x 16 on Zen 5. Intel's cores shuffle on a port of the FMAs.
  shuffled,
  // The FMA loads it (AVX-512), four steps of a row one after the other, so that their addresses differ by constants.
  // With an index register in its address an FMA takes two issue slots on Intel's cores: 14 x 16, 132 -> 156 GFLOP/s on
  // a busy Emerald Rapids, 159 -> 177 on a quiet one.
  memory
};
constexpr SpreadA kSpreads[] = {SpreadA::registers, SpreadA::shuffled, SpreadA::memory};

// The register tiles of 12 sums that pass over a B beyond L1, where the registers hold no more of them.
enum class FarTiles {
  tall,  // six rows of two vectors: B passes least often
  wide   // three rows of four: A passes least often, in the fewest instructions
};

// How the pixels of a src that the caches do not hold are best read where each is met once, by a 1x1 convolution.
enum class FarSrc {
  runs,    // all features of a pixel as one long run in memory, which the hardware prefetches
  blocks,  // 64 features of one pixel after the other, and a call asks for those of a later one
  lines    // 16 features, a cache line, likewise
};

// Over how many pixels of small images a call of a convolution's weight update sums.
enum class Reduction {
  deep,     // so many that the gradient's tile is seldom read and written
  shallow,  // so few that they are in L1 while all of the tile's rows pass
};

// Over how many pixels of an image a call of a 1x1 kernel's weight update sums, without a stride.
enum class PixelsOfCall {
  few,  // so many that both operands are close while all of the tile's rows pass
  many  // so many that the gradient's tile is seldom read and written
};

// How a recurrent layer sums up where it has many rows and B is larger than what L1 keeps.
enum class Sums {
  whole,  // in one call: each register tile over all of B, so that C is stored once
  parts   // in one call after the other, of a part of B each that stays in L1
};

// [v - 1]: of a register tile v vectors wide that is not a call's only one, where the registers hold so many. 28 x 64
// is best in tiles of 6 rows; 7 x 64 in one tile, not in 4 + 3 rows: 0.90 -> 0.97 of LIBXSMM's (Emerald Rapids).
constexpr int kMostRowsOfATile[] = {28, 14, 9, 6};

constexpr std::int64_t kMostInTuning = 1024;  // what none of its numbers exceeds

// The defaults lose little on any processor; a calibration finds what suits the machine at hand
// (primitives/planning/tuning/calibration.hpp).
struct SimdTuning {
  // Rows of B that are asked for ahead of their use; 0: none, the hardware does it. At 16 rows: 0.75 -> 0.98 of peak
  // for 6 x 64 tiles whose B streams from L2 on Xeons (Granite Rapids); -1 % on Zen 5.
  std::int64_t ahead = 16;
  // The same of a call of at most six rows, which let B pass by. 32 instead of 0: 5 to 9 % of fully connected layers of
  // one image whose weights come from L3 on Zen 5; 0 instead of 32: 10 to 20 % of them, 2 to 10 % with four images, and
  // about 10 % of LSTMs of one sequence, on Zen 4.
  std::int64_t few = 32;
  SpreadA spread = SpreadA::registers;
  // Wide instead of tall, with AVX2 on a Zen 4: 2 to 3 % of ResNet-50's 1x1 layers of small images, 4 % of LSTMs of
  // 1024 features, 3 to 7 % of fully connected layers of 2048 and 4096, forward and backward by data; tall instead of
  // wide: up to 3 % (Zen 3).
  FarTiles tiles = FarTiles::tall;
  // How a C that the caches do not hold is best reached where stores are dense (64 FMAs for an element). Stored past
  // the caches it takes half the traffic; asked for, 5 to 8 % less time of ResNet-50's 1x1 layers on an Emerald Rapids.
  CAccess far = CAccess::prefetch;
  // What a convolution's planner does. Blocks instead of runs: 7 to 20 % of ResNet-50's 1x1 layers 7, 10 and 12 with 28
  // images on Zen 5; lines instead of runs: 10, 5 and 5 % of layers 2, 7 and 9 on Zen 4, where blocks lose as much;
  // runs instead of blocks: 2 to 17 % of the 1x1 layers on an Emerald Rapids.
  FarSrc src = FarSrc::runs;
  // Whether a filter with few input features, a network's first, has blocks of output features one vector wide, whose
  // tiles are 28 pixels high, and not four. Narrow instead of wide: 8 % of ResNet-50's first layer on an Emerald
  // Rapids; wide instead of narrow: 6 % on Zen 5.
  bool narrow = true;
  // Shallow instead of deep: 7 to 20 % of ResNet-50's last layers, whose images are 7 x 7, on Zen 5.
  Reduction reduction = Reduction::deep;
  // Many instead of few: 2 to 6 % of ResNet-50's 1x1 layers of 56 x 56 and 28 x 28 pixels on Zen 5; few instead of
  // many: 5 to 17 % of 1x1 layers on Emerald Rapids.
  PixelsOfCall pixels = PixelsOfCall::few;
  // Parts instead of whole: 2 to 5 % of an LSTM of 256 features forward, 3 to 6 % of LSTMs of 256 to 1024 backward, on
  // Zen 5.
  Sums sums = Sums::whole;
  // How batch normalisation's gradient, pooling and softmax go over tensors that no cache holds. Into L2 instead of L1,
  // on Zen 4: two thirds of the time of ResNet-50's first pooling, three quarters of softmax over 32000 classes, two
  // thirds to all of batch normalisations' gradients.
  Sweep sweep = Sweep::stream;

  // Facts of the core, which no text says: find_tuning() fills them in.

  // KiB of L1 that B may fill and stay there while the row tiles of a call pass: a larger B is asked for by each tile,
  // a smaller one by the first alone. To ask for what is there costs 2 to 8 % of a 1x1 convolution where a neighbour on
  // the same core takes half of its issue slots (Emerald Rapids).
  std::int64_t kept = 32;
  // 16 vector registers and not 32. A register tile is then 16 floats wide, and the rows of B that it reads of a block
  // of 64 features lie so far apart that they meet in a quarter of L1's sets.
  bool few_registers = false;

  friend bool operator==(const SimdTuning&, const SimdTuning&) = default;
};

}  // namespace brickwork
