// Index arithmetic of the GPU bricks: which lane of a warp holds which element of mma.sync's fragments, where elements
// lie in shared memory, and which part of it copies may write at a time. All of it is constexpr, so that a host can
// check what a device runs.
//
// Source: PTX ISA, matrix fragments of mma.m16n8k16 (.bf16) and mma.m16n8k8 (.tf32), ldmatrix, cp.async.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork::mma {

constexpr int kLanes = 32;
constexpr int kCopied = 16;  // bytes of one asynchronous copy, and of a row of one of ldmatrix's matrices

// Four registers of 32 bits: one 16 x kK fragment of A, or two fragments of B with neighbouring columns.
struct Registers {
  std::uint32_t of[4];
};
struct Sums {
  float of[4];
};

struct XAndK {
  int x, k;  // x: the row of A, the column of B
};

// mma.sync of T (bf16, or float multiplied as TF32): 16 x 8 sums of kK products each.
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

// For a warp that multiplies without tensor cores: the sums of each lane among warp_m x warp_n, in groups of four
// neighbouring rows by four neighbouring columns, as it reads them. Neighbouring lanes share rows or columns.
constexpr int kFloatsAtOnce = kCopied / 4;
template <int warp_m, int warp_n>
struct LanesOfWarp {
  static constexpr int kDown = 4, kAcross = 8, kRows = warp_m / kDown, kCols = warp_n / kAcross;
  static_assert(kRows % kFloatsAtOnce == 0 && kCols % kFloatsAtOnce == 0);

  // Row and column, in the warp's part, of the lane's i-th row and j-th column.
  BRICKWORK_HOST_DEVICE static constexpr int row(int lane, int i) {
    return (i / kFloatsAtOnce * kDown + lane / 16 * 2 + lane % 2) * kFloatsAtOnce + i % kFloatsAtOnce;
  }
  BRICKWORK_HOST_DEVICE static constexpr int col(int lane, int j) {
    return (j / kFloatsAtOnce * kAcross + lane / 2 % kAcross) * kFloatsAtOnce + j % kFloatsAtOnce;
  }
};

// A function, as a linter complains about a conditional with equal branches, as for a square tile.
constexpr int one_of(bool first, int a, int b) { return first ? a : b; }

// x by k elements of an operand, in rows along x or along k, and the chunks of 16 bytes by which rows are copied.
// Tile::chunk(row, chunk) is the place of a chunk, in bytes from the tile's start.
template <class Tile, class T, int x_size, int k_size, bool k_inside>
struct TileOfChunks {
  static constexpr int kElement = static_cast<int>(sizeof(T));
  static constexpr int kChunk = kCopied / kElement;  // elements
  static constexpr int kRows = one_of(k_inside, x_size, k_size), kCols = one_of(k_inside, k_size, x_size);
  static constexpr int kChunks = kCols / kChunk;  // of a row
  static constexpr int kBytes = x_size * k_size * kElement;

  // Chunks are numbered in the order in which they are copied.
  BRICKWORK_HOST_DEVICE static constexpr int row_of(int number) { return number / kChunks; }
  BRICKWORK_HOST_DEVICE static constexpr int chunk_of(int number) { return number % kChunks; }
  BRICKWORK_HOST_DEVICE static constexpr int element(int x, int k) {
    const int row = k_inside ? x : k, col = k_inside ? k : x;
    return Tile::chunk(row, col / kChunk) + col % kChunk * kElement;
  }
};

// x by k elements of an operand in shared memory, contiguous along k or along x. Chunks of 16 bytes within a row are
// swizzled: what a warp reads at once lies in different banks.
template <class T, int x_size, int k_size, bool k_inside>
struct SharedTile : TileOfChunks<SharedTile<T, x_size, k_size, k_inside>, T, x_size, k_size, k_inside> {
  using Chunks = TileOfChunks<SharedTile, T, x_size, k_size, k_inside>;
  using Chunks::kElement, Chunks::kChunk, Chunks::kCols, Chunks::kChunks;
  static constexpr bool kByColumns = kElement == 4 && !k_inside;  // reads of 4 rows by 8 elements; otherwise 8 rows by
                                                                  // 16 bytes
  static constexpr int kSwizzleRows = kByColumns ? 4 : 8;         // rows after which the swizzle repeats
  static_assert(kCols % kChunk == 0 && (kChunks & (kChunks - 1)) == 0 && (!kByColumns || kChunks >= 8));

  BRICKWORK_HOST_DEVICE static constexpr int swizzle(int row) {
    if (kByColumns) return row % 4 * 2;
    return kChunks >= 8 ? row % 8 : row / (8 / kChunks) % kChunks;
  }
  BRICKWORK_HOST_DEVICE static constexpr int chunk(int row, int chunk) {
    return (row * kChunks + (chunk ^ swizzle(row))) * kCopied;
  }
};

// A tile for lanes that read four neighbours of 4 bytes along x. All elements lie at compile-time distances from a
// lane's first one (with a swizzle a fifth of all instructions computed addresses). The gap behind a row puts eight
// steps over k of four neighbours into different banks, as transposing copies write them.
template <class T, int x_size, int k_size>
struct PaddedTile : TileOfChunks<PaddedTile<T, x_size, k_size>, T, x_size, k_size, false> {
  using Chunks = TileOfChunks<PaddedTile, T, x_size, k_size, false>;
  using Chunks::kElement, Chunks::kChunk, Chunks::kRows, Chunks::kCols;
  static constexpr int kSwizzleRows = 1;
  static constexpr int kRowBytes = kCols * kElement + kCopied, kBytes = kRows * kRowBytes;
  static_assert(kElement == 4 && kCols % kChunk == 0);

  BRICKWORK_HOST_DEVICE static constexpr int chunk(int row, int chunk) { return row * kRowBytes + chunk * kCopied; }
};

// The start of the matrix row that a lane passes to ldmatrix, for the four matrices that fill Registers with bf16. Rows
// are those of a SharedTile; if k is not inside, ldmatrix transposes.
template <bool k_inside>
BRICKWORK_HOST_DEVICE constexpr XAndK matrix_row_of_a(int lane) {
  const int matrix = lane / 8, row = lane % 8, x = matrix % 2 * 8, k = matrix / 2 * 8;
  return {k_inside ? x + row : x, k_inside ? k : k + row};
}
BRICKWORK_HOST_DEVICE constexpr XAndK matrix_row_of_b(int lane) {
  const int matrix = lane / 8, row = lane % 8;
  return {matrix / 2 * 8, matrix % 2 * 8 + row};
}

// A tile for wgmma, in atoms of 8 rows by 128 bytes with chunks swizzled as wgmma requires. Eight threads copy a line
// of memory and write to different banks. (Without swizzle wgmma is as fast, 963 and 965 TFLOP/s on an H100, but eight
// threads must then copy from eight rows, and half of each sector from L2 is lost.) Atoms follow each other along the
// rows; those of the next 64 columns come after those of the first.
//
// Source: PTX ISA, matrix descriptors of wgmma with 128-byte swizzle; their canonical layouts are in CUTLASS's
// mma_traits_sm90_gmma.hpp.
template <class T, int x_size, int k_size, bool k_inside>
struct SwizzledTile : TileOfChunks<SwizzledTile<T, x_size, k_size, k_inside>, T, x_size, k_size, k_inside> {
  using Chunks = TileOfChunks<SwizzledTile, T, x_size, k_size, k_inside>;
  using Chunks::kElement, Chunks::kRows, Chunks::kChunks;
  static constexpr int kSwizzleRows = 8, kLine = 128, kAtom = kSwizzleRows * kLine;  // bytes
  static constexpr int kOfLine = kLine / kCopied;                                    // chunks
  static_assert(kElement == 2 && kRows % 8 == 0 && kChunks % kOfLine == 0);
  // Bytes between groups of 64 columns, between groups of 64 elements of x, and between groups of 16 steps over k.
  static constexpr int kNextColumns = kRows * kLine;
  static constexpr int kNextX = k_inside ? 64 * kLine : kNextColumns, kNextK = k_inside ? 16 * kElement : 2 * kAtom;

  BRICKWORK_HOST_DEVICE static constexpr int chunk(int row, int chunk) {
    return chunk / kOfLine * kNextColumns + row * kLine + (chunk % kOfLine ^ row % 8) * kCopied;
  }
};

// A ring of stages in shared memory: while one step is multiplied, the next kAhead steps are copied. The products of
// `multiplied` earlier steps may be unfinished.
template <int stages, int multiplied = 0>
struct Ring {
  static_assert(stages >= 2 + multiplied);
  static constexpr int kStages = stages;
  static constexpr int kAhead = stages - 1 - multiplied;
  // Groups of copies that may be unfinished when a step is read. Each step has one group; that of the step is the
  // oldest.
  static constexpr int kUnfinished = kAhead - 1;

  BRICKWORK_HOST_DEVICE static constexpr int next(int stage) { return stage + 1 == stages ? 0 : stage + 1; }
};

// Shared memory of a block: the ring of stages, reused by the sums in the end; behind it the places of the rows, first
// of A and then of C. One thread finds a place for all threads that copy of the row, as a device takes long to divide.
// For a transposed A the rows are the steps over k of this stage and the later ones that are copied, k rows each.
template <class Ring, int stage_bytes, int sums_bytes, int m, int k, bool a_transposed>
struct BlockMemory {
  static constexpr int kPlace = 8;  // bytes
  static constexpr int kSteps = 2 * Ring::kAhead;
  static constexpr int kRows = a_transposed && kSteps * k > m ? kSteps* k : m;
  static constexpr int kPlaces = Ring::kStages * stage_bytes > sums_bytes ? Ring::kStages* stage_bytes : sums_bytes;
  static constexpr int kBytes = kPlaces + kRows * kPlace;
  static_assert(kPlaces % kPlace == 0 && kBytes <= 227 * 1024, "the most that a block of sm_90 has");

  BRICKWORK_HOST_DEVICE static constexpr int place(int row) { return kPlaces + row * kPlace; }
  // The place of a row of a step; steps are counted as they are copied, from 0.
  BRICKWORK_HOST_DEVICE static constexpr int place(int step, int row) { return place(step % kSteps * k + row); }
};

}  // namespace brickwork::mma
