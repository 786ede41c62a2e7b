// Index arithmetic of a brick on tensor cores: which lane of a warp holds which element of mma.sync's fragments, where
// elements lie in shared memory, and which part of it the copies under way may write. All of it is constexpr, so that a
// host can check what a device runs.
//
// Source: PTX ISA, matrix fragments of mma.m16n8k16 (.bf16) and mma.m16n8k8 (.tf32), ldmatrix, cp.async.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork::mma {

constexpr int kLanes = 32;
constexpr int kCopied = 16;  // bytes of one asynchronous copy, and of a row of one of ldmatrix' matrices

// Four registers of 32 bits: of A those of a 16 x kK fragment, of B two fragments, whose columns are neighbours.
struct Registers {
  std::uint32_t of[4];
};
struct Sums {
  float of[4];
};

struct XAndK {
  int x, k;  // x: the row of A, the column of B
};

// mma.sync of T, which is bf16 or, multiplied as TF32, float: 16 x 8 sums of kK products each.
template <class T>
struct Fragments {
  static constexpr int kM = 16, kN = 8, kK = 32 / static_cast<int>(sizeof(T));
  static constexpr int kOfRegister = 4 / static_cast<int>(sizeof(T));  // neighbours along k

  // Element e of register r of a lane.
  BRICKWORK_HOST_DEVICE static constexpr XAndK a(int lane, int r, int e) {
    return {lane / 4 + r % 2 * 8, lane % 4 * kOfRegister + e + r / 2 * (kK / 2)};
  }
  BRICKWORK_HOST_DEVICE static constexpr XAndK b(int lane, int r, int e) {
    return {lane / 4 + r / 2 * kN, lane % 4 * kOfRegister + e + r % 2 * (kK / 2)};
  }
};

struct RowAndColumn {
  int row, col;
};
BRICKWORK_HOST_DEVICE constexpr RowAndColumn sum_at(int lane, int r) {
  return {lane / 4 + r / 2 * 8, lane % 4 * 2 + r % 2};
}

// Of a warp that multiplies without tensor cores: which of warp_m x warp_n sums a lane has, four rows and four columns
// next to each other, as it reads them. Neighbours have either rows or columns in common.
constexpr int kFloatsAtOnce = kCopied / 4;
template <int warp_m, int warp_n>
struct LanesOfWarp {
  static constexpr int kDown = 4, kAcross = 8, kRows = warp_m / kDown, kCols = warp_n / kAcross;
  static_assert(kRows % kFloatsAtOnce == 0 && kCols % kFloatsAtOnce == 0);

  // Of the lane's i-th row and j-th column.
  BRICKWORK_HOST_DEVICE static constexpr int row(int lane, int i) {
    return (i / kFloatsAtOnce * kDown + lane / 16 * 2 + lane % 2) * kFloatsAtOnce + i % kFloatsAtOnce;
  }
  BRICKWORK_HOST_DEVICE static constexpr int col(int lane, int j) {
    return (j / kFloatsAtOnce * kAcross + lane / 2 % kAcross) * kFloatsAtOnce + j % kFloatsAtOnce;
  }
};

// (A linter takes the two sizes of a square tile for one.)
constexpr int one_of(bool first, int a, int b) { return first ? a : b; }

// x by k elements of an operand, in rows of either, and the chunks of 16 bytes that those are copied by.
// Tile::chunk(row, chunk) is where one lies, in bytes from the tile's first.
template <class Tile, class T, int x_size, int k_size, bool k_inside>
struct TileOfChunks {
  static constexpr int kElement = static_cast<int>(sizeof(T));
  static constexpr int kChunk = kCopied / kElement;  // elements
  static constexpr int kRows = one_of(k_inside, x_size, k_size), kCols = one_of(k_inside, k_size, x_size);
  static constexpr int kChunks = kCols / kChunk;  // of a row
  static constexpr int kBytes = x_size * k_size * kElement;

  // Of all chunks, in the order in which they are copied.
  BRICKWORK_HOST_DEVICE static constexpr int row_of(int number) { return number / kChunks; }
  BRICKWORK_HOST_DEVICE static constexpr int chunk_of(int number) { return number % kChunks; }
  BRICKWORK_HOST_DEVICE static constexpr int element(int x, int k) {
    const int row = k_inside ? x : k, col = k_inside ? k : x;
    return Tile::chunk(row, col / kChunk) + col % kChunk * kElement;
  }
};

// x by k elements of an operand in shared memory, with one or the other next to each other. Chunks of 16 bytes within a
// row are swizzled: what a warp reads at once lies in different banks.
template <class T, int x_size, int k_size, bool k_inside>
struct SharedTile : TileOfChunks<SharedTile<T, x_size, k_size, k_inside>, T, x_size, k_size, k_inside> {
  using Chunks = TileOfChunks<SharedTile, T, x_size, k_size, k_inside>;
  using Chunks::kElement, Chunks::kChunk, Chunks::kCols, Chunks::kChunks;
  static constexpr bool kByColumns = kElement == 4 && !k_inside;  // 4 rows by 8 elements; else 8 rows by 16 bytes
  static constexpr int kSwizzleRows = kByColumns ? 4 : 8;         // after which it repeats itself
  static_assert(kCols % kChunk == 0 && (kChunks & (kChunks - 1)) == 0 && (!kByColumns || kChunks >= 8));

  BRICKWORK_HOST_DEVICE static constexpr int swizzle(int row) {
    if (kByColumns) return row % 4 * 2;
    return kChunks >= 8 ? row % 8 : row / (8 / kChunks) % kChunks;
  }
  BRICKWORK_HOST_DEVICE static constexpr int chunk(int row, int chunk) {
    return (row * kChunks + (chunk ^ swizzle(row))) * kCopied;
  }
};

// The same for lanes that read four neighbours of 4 bytes along x: all lies at a distance from a lane's first that is
// known when this is compiled (with a swizzle a fifth of all instructions were for addresses). The gap behind a row
// puts eight steps over k of four neighbours into different banks, as copies write them that transpose.
template <class T, int x_size, int k_size>
struct PaddedTile : TileOfChunks<PaddedTile<T, x_size, k_size>, T, x_size, k_size, false> {
  using Chunks = TileOfChunks<PaddedTile, T, x_size, k_size, false>;
  using Chunks::kElement, Chunks::kChunk, Chunks::kRows, Chunks::kCols;
  static constexpr int kSwizzleRows = 1;
  static constexpr int kRowBytes = kCols * kElement + kCopied, kBytes = kRows * kRowBytes;
  static_assert(kElement == 4 && kCols % kChunk == 0);

  BRICKWORK_HOST_DEVICE static constexpr int chunk(int row, int chunk) { return row * kRowBytes + chunk * kCopied; }
};

// Where the row of a matrix begins that a lane names to ldmatrix, of the four that fill Registers with bf16: rows are
// those of a SharedTile, and k outside is transposed by the way.
template <bool k_inside>
BRICKWORK_HOST_DEVICE constexpr XAndK matrix_row_of_a(int lane) {
  const int matrix = lane / 8, row = lane % 8, x = matrix % 2 * 8, k = matrix / 2 * 8;
  return {k_inside ? x + row : x, k_inside ? k : k + row};
}
BRICKWORK_HOST_DEVICE constexpr XAndK matrix_row_of_b(int lane) {
  const int matrix = lane / 8, row = lane % 8;
  return {matrix / 2 * 8, matrix % 2 * 8 + row};
}

// The same for wgmma, in atoms of 8 rows by 128 bytes whose chunks are swizzled as wgmma has it: eight threads copy a
// line of memory, and write to different banks. (Without swizzle wgmma is as fast, 963 and 965 TFLOP/s on an H100; but
// then eight threads must copy from eight rows, and half of each sector that L2 gives is lost.) Atoms lie one behind
// the other along the rows, and behind those of 64 columns those of the next 64.
//
// Source: PTX ISA, matrix descriptors of wgmma with 128-byte swizzle; their canonical layouts are in CUTLASS'
// mma_traits_sm90_gmma.hpp.
template <class T, int x_size, int k_size, bool k_inside>
struct SwizzledTile : TileOfChunks<SwizzledTile<T, x_size, k_size, k_inside>, T, x_size, k_size, k_inside> {
  using Chunks = TileOfChunks<SwizzledTile, T, x_size, k_size, k_inside>;
  using Chunks::kElement, Chunks::kRows, Chunks::kChunks;
  static constexpr int kSwizzleRows = 8, kLine = 128, kAtom = kSwizzleRows * kLine;  // bytes
  static constexpr int kOfLine = kLine / kCopied;                                    // chunks
  static_assert(kElement == 2 && kRows % 8 == 0 && kChunks % kOfLine == 0);
  // Bytes from 64 columns to the next, from 64 elements of x to the next, and from 16 steps over k to the next.
  static constexpr int kNextColumns = kRows * kLine;
  static constexpr int kNextX = k_inside ? 64 * kLine : kNextColumns, kNextK = k_inside ? 16 * kElement : 2 * kAtom;

  BRICKWORK_HOST_DEVICE static constexpr int chunk(int row, int chunk) {
    return chunk / kOfLine * kNextColumns + row * kLine + (chunk % kOfLine ^ row % 8) * kCopied;
  }
};

// A ring of stages in shared memory: while one step is multiplied, the copies of the next kAhead are under way. Of the
// steps before it, `multiplied` may not be finished.
template <int stages, int multiplied = 0>
struct Ring {
  static_assert(stages >= 2 + multiplied);
  static constexpr int kStages = stages;
  static constexpr int kAhead = stages - 1 - multiplied;
  // Groups of copies that may be unfinished when a step is read: each step has one, and its own is the oldest.
  static constexpr int kUnfinished = kAhead - 1;

  BRICKWORK_HOST_DEVICE static constexpr int next(int stage) { return stage + 1 == stages ? 0 : stage + 1; }
};

// Shared memory of a block: the ring of stages, whose place sums take in the end, and behind it where rows lie, of A
// and then of C: one thread finds it for all that copy of a row, as a device takes long to divide. Of a transposed A
// the rows are those of steps that are brought from this one on, k of them each.
template <class Ring, int stage_bytes, int sums_bytes, int m, int k, bool a_transposed>
struct BlockMemory {
  static constexpr int kPlace = 8;  // bytes
  static constexpr int kSteps = 2 * Ring::kAhead;
  static constexpr int kRows = a_transposed && kSteps * k > m ? kSteps* k : m;
  static constexpr int kPlaces = Ring::kStages * stage_bytes > sums_bytes ? Ring::kStages* stage_bytes : sums_bytes;
  static constexpr int kBytes = kPlaces + kRows * kPlace;
  static_assert(kPlaces % kPlace == 0 && kBytes <= 227 * 1024, "the most that a block of sm_90 has");

  BRICKWORK_HOST_DEVICE static constexpr int place(int row) { return kPlaces + row * kPlace; }
  // Of the steps that are brought, the first being 0.
  BRICKWORK_HOST_DEVICE static constexpr int place(int step, int row) { return place(step % kSteps * k + row); }
};

}  // namespace brickwork::mma
