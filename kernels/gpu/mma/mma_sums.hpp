// The sums of a GPU brick: in the registers of its warps, then through shared memory to C. Tile and Block: see
// brgemm_mma.hpp.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/epilogue/finished_element.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"

namespace brickwork::mma {

template <class Tile, class Warp>
struct WarpSums {
  static constexpr int kRows = Tile::kWarpM / Tile::Mma::kM, kCols = Tile::kWarpN / Tile::Mma::kN;
  typename Warp::template Lanes<Sums> of[kRows][kCols];
};

// Shared memory may hold several copies of a tile's sums, one behind the other, each for a share of the steps over k.
template <class Tile>
BRICKWORK_HOST_DEVICE constexpr int copy_of_sums() {
  return Tile::kM * Tile::kSumsRow;
}
template <class Tile, class Block>
BRICKWORK_HOST_DEVICE float load_sum(Block& block, int at) {
  float sum = block.template load<float>(at);
  BRICKWORK_DEVICE_UNROLL for (int copy = 1; copy < Tile::kCopiesOfSums; ++copy) {
    sum += block.template load<float>(at + copy * copy_of_sums<Tile>());
  }
  return sum;
}
template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void load_four_sums(Block& block, int at, float (&sums)[4]) {
  block.load_four(at, sums);
  BRICKWORK_DEVICE_UNROLL for (int copy = 1; copy < Tile::kCopiesOfSums; ++copy) {
    float more[4];
    block.load_four(at + copy * copy_of_sums<Tile>(), more);
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < 4; ++i) sums[i] += more[i];
  }
}

// Sums of a warp without tensor cores (brgemm_fma.hpp).
template <class Tile, class Warp>
struct LaneSums {
  struct OfLane {
    float of[Tile::Lanes::kRows][Tile::Lanes::kCols];
  };
  typename Warp::template Lanes<OfLane> of;
};

template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void store_sums(Block& block, typename Block::Warp& warp, int number,
                                      LaneSums<Tile, typename Block::Warp>& sums) {
  using L = typename Tile::Lanes;
  const int in_group = number % Tile::kWarpsMN, copy = number / Tile::kWarpsMN * copy_of_sums<Tile>();
  const int row = in_group / Tile::kWarpsN * Tile::kWarpM, col = in_group % Tile::kWarpsN * Tile::kWarpN;
  warp.each_lane([&](int lane) {
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < L::kRows; ++i) {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < L::kCols; ++j) {
        block.store(copy + (row + L::row(lane, i)) * Tile::kSumsRow + (col + L::col(lane, j)) * 4,
                    sums.of[lane].of[i][j]);
      }
    }
  });
}

template <class Tile, class Block>
BRICKWORK_HOST_DEVICE void store_sums(Block& block, typename Block::Warp& warp, int number,
                                      WarpSums<Tile, typename Block::Warp>& sums) {
  using S = WarpSums<Tile, typename Block::Warp>;
  const int row = number / Tile::kWarpsN * Tile::kWarpM, col = number % Tile::kWarpsN * Tile::kWarpN;
  warp.each_lane([&](int lane) {
    BRICKWORK_DEVICE_UNROLL for (int i = 0; i < S::kRows; ++i) {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < S::kCols; ++j) {
        BRICKWORK_DEVICE_UNROLL for (int r = 0; r < 4; r += 2) {  // two neighbours
          const RowAndColumn at = sum_at(lane, r);
          block.store_two((row + i * Tile::Mma::kM + at.row) * Tile::kSumsRow + (col + j * Tile::Mma::kN + at.col) * 4,
                          sums.of[i][j][lane].of[r], sums.of[i][j][lane].of[r + 1]);
        }
      }
    }
  });
}

// Stores n neighbours, aligned to their total size, at once. The compiler would store the members of a struct of bf16
// one by one.
template <int n, class TC>
BRICKWORK_HOST_DEVICE void store_together(TC* to, const TC (&from)[n]) {
  constexpr int kWords = n * static_cast<int>(sizeof(TC)) / 4;
  struct alignas(4 * kWords) Words {
    std::uint32_t of[kWords];
  } words;
  BRICKWORK_DEVICE_UNROLL for (int i = 0; i < kWords; ++i) {
    if constexpr (sizeof(TC) == 2) {
      words.of[i] = std::uint32_t{from[2 * i].bits} | std::uint32_t{from[2 * i + 1].bits} << 16;
    } else {
      words.of[i] = __builtin_bit_cast(std::uint32_t, from[i]);
    }
  }
  *reinterpret_cast<Words*>(to) = words;
}

// Moves sums from shared memory to C, four neighbours at a time. In shared memory they are contiguous whatever the
// fragments, and the epilogue's curves are compiled once instead of for every register.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void store_c(Block& block, int thread, const BrgemmShape& shape, const BrgemmCall& call, int row0,
                                   int col0, int rows, int cols) {
  constexpr int kFour = 4, kPerRow = Tile::kN / kFour;
  BRICKWORK_DEVICE_NO_UNROLL for (int e = thread; e < Tile::kM * kPerRow; e += Tile::kThreads) {
    const int row = e / kPerRow, col = e % kPerRow * kFour;
    if (row >= rows || col >= cols) continue;
    const int live = cols - col < kFour ? cols - col : kFour;
    const auto place = block.template load<std::int64_t>(Tile::Memory::place(row));
    TC* const c = static_cast<TC*>(call.c) + place + col0 + col;
    TC four[kFour];
    BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kFour; ++j) {
      if (j >= live) continue;
      const float sum = load_sum<Tile>(block, row * Tile::kSumsRow + (col + j) * 4);
      four[j] = finished_element<TC>(shape, call, sum, row0 + row, place, col0 + col + j);
    }
    if (live == kFour && reinterpret_cast<std::uintptr_t>(c) % sizeof(four) == 0) {
      store_together(c, four);
    } else {
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kFour; ++j) {
        if (j < live) c[j] = four[j];
      }
    }
  }
}

template <int n, class TC>
BRICKWORK_HOST_DEVICE void load_together(const TC* from, TC (&to)[n]) {
  struct alignas(n * sizeof(TC)) Together {
    TC of[n];
  };
  const Together all = *reinterpret_cast<const Together*>(from);
  BRICKWORK_DEVICE_UNROLL for (int i = 0; i < n; ++i) to[i] = all.of[i];
}

// As store_c() for calls without an epilogue, or with kPlainAdds at most a bias and beta = 1: eight or four neighbours
// at a time. With kPlainAdds a thread loads two chunks before it stores them; otherwise the second load would wait for
// the first store, which might be to the same place.
template <class Tile, class TC, class Block>
BRICKWORK_HOST_DEVICE void store_plain_c(Block& block, int thread, const BrgemmShape& shape, const BrgemmCall& call,
                                         int col0, int rows, int cols) {
  constexpr int kChunk = kCopied / static_cast<int>(sizeof(TC)), kPerRow = Tile::kN / kChunk;
  constexpr int kUnderWay = Tile::kPlainAdds ? 2 : 1;
  BRICKWORK_DEVICE_NO_UNROLL for (int first = thread; first < Tile::kM * kPerRow; first += kUnderWay * Tile::kThreads) {
    TC* to[kUnderWay] = {};
    TC chunk[kUnderWay][kChunk];
    BRICKWORK_DEVICE_UNROLL for (int e = 0; e < kUnderWay; ++e) {
      const int row = (first + e * Tile::kThreads) / kPerRow, col = (first + e * Tile::kThreads) % kPerRow * kChunk;
      if (row >= rows || col >= cols) continue;
      to[e] = static_cast<TC*>(call.c) + block.template load<std::int64_t>(Tile::Memory::place(row)) + col0 + col;
      if (Tile::kPlainAdds && shape.beta != 0) load_together(to[e], chunk[e]);
      BRICKWORK_DEVICE_UNROLL for (int j = 0; j < kChunk; j += 4) {
        float four[4];
        load_four_sums<Tile>(block, row * Tile::kSumsRow + (col + j) * 4, four);
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < 4; ++i) {
          if constexpr (Tile::kPlainAdds) {
            if (shape.beta != 0) four[i] += static_cast<float>(chunk[e][j + i]);
            if (call.epilogue.bias != nullptr) four[i] += call.epilogue.bias[col0 + col + j + i];
          }
          chunk[e][j + i] = TC(four[i]);
        }
      }
    }
    BRICKWORK_DEVICE_UNROLL for (int e = 0; e < kUnderWay; ++e) {
      if (to[e] != nullptr) store_together(to[e], chunk[e]);
    }
  }
}

// Whether store_plain_c() can store all rows of a tile.
template <class Tile, class TC>
BRICKWORK_HOST_DEVICE bool can_store_plain_c(const BrgemmShape& shape, const BrgemmCall& call, int col0, int cols) {
  constexpr std::int64_t size = sizeof(TC);
  const auto whole = [](std::int64_t elements) { return elements * size % kCopied == 0; };
  const auto& epilogue = call.epilogue;
  const bool plain = Tile::kPlainAdds ? epilogue.residual == nullptr && epilogue.activation == Activation::none
                                      : shape.beta == 0 && !epilogue.any();
  return plain && whole(cols) && whole(shape.ldc) && whole(shape.pixels_of_c.row) && whole(shape.pixels_of_c.image) &&
         reinterpret_cast<std::uintptr_t>(static_cast<TC*>(call.c) + col0) % kCopied == 0;
}

// Turns the sums of a tile into C. Before it, the block has read the stages in its scratch; it leaves through a
// barrier.
template <class Tile, class TC, class Block, class Sums>
BRICKWORK_HOST_DEVICE void finish_tile(Block& block, const BrgemmShape& shape, const BrgemmCall& call, int row, int col,
                                       int rows, int cols, Sums& sums) {
  block.each_warp([&](typename Block::Warp& warp, int number) { store_sums<Tile>(block, warp, number, sums[number]); });
  block.each_thread([&](int thread) {
    BRICKWORK_DEVICE_NO_UNROLL for (int r = thread; r < rows; r += Tile::kThreads) {
      block.store(Tile::Memory::place(r), shape.place_in_c(call.first_pixel + row + r));
    }
  });
  block.barrier();
  if (can_store_plain_c<Tile, TC>(shape, call, col, cols)) {
    block.each_thread([&](int thread) { store_plain_c<Tile, TC>(block, thread, shape, call, col, rows, cols); });
  } else {
    block.each_thread([&](int thread) { store_c<Tile, TC>(block, thread, shape, call, row, col, rows, cols); });
  }
  block.barrier();
}

}  // namespace brickwork::mma
