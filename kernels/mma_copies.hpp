// How the operands of a brick on tensor cores come into shared memory: a call's members and their steps over k pass by
// as one sequence, each step in a stage of a ring that cp.async fills. Tile and Block: see brgemm_mma.hpp.
#pragma once
#include <cstdint>

#include "brgemm.hpp"
#include "host_device.hpp"
#include "mma_fragments.hpp"

namespace brickwork::mma {

// One thread's copies of a tile, a chunk each: which one the i-th brings, and where it goes.
template <class Tile, int threads>
struct Share {
  static constexpr int kCopies = Tile::kRows * Tile::kChunks / threads;
  static_assert(kCopies * threads == Tile::kRows * Tile::kChunks);
  // All of a thread's are of the same columns, so many rows apart.
  static constexpr int kRowsApart = Tile::row_of(threads);
  static_assert(Tile::chunk_of(threads) == 0);

  BRICKWORK_HOST_DEVICE static constexpr int row(int thread, int i) { return Tile::row_of(thread) + i * kRowsApart; }
  BRICKWORK_HOST_DEVICE static constexpr int col(int thread) { return Tile::chunk_of(thread) * Tile::kChunk; }
  BRICKWORK_HOST_DEVICE static constexpr int at(int thread, int i) {
    return Tile::chunk(row(thread, i), Tile::chunk_of(thread));
  }
  // The same where the first one's is known.
  BRICKWORK_HOST_DEVICE static constexpr int at(int thread, int i, int first) {
    return kRowsApart % Tile::kSwizzleRows == 0 ? first + i * Tile::chunk(kRowsApart, 0) : at(thread, i);
  }
};

// The same, an element each, of a tile of steps over k by x whose source has k inside: eight steps of a row are a
// sector of memory, which as many neighbours bring.
template <class Tile, int threads>
struct TransposingShare {
  static constexpr int kSteps = 8, kXApart = threads / kSteps;
  static constexpr int kX = Tile::kCols / kXApart, kK = Tile::kRows / kSteps;
  static_assert(kX * kXApart == Tile::kCols && kK * kSteps == Tile::kRows);

  BRICKWORK_HOST_DEVICE static constexpr int x(int thread, int i) { return thread / kSteps + i * kXApart; }
  BRICKWORK_HOST_DEVICE static constexpr int k(int thread, int i) { return thread % kSteps + i * kSteps; }
};

// One thread's copies of a step, element by element, of a tile's rows x cols; place(row) is where a row begins in
// source.
template <class Tile, int threads, class T, class Block, class Place>
BRICKWORK_HOST_DEVICE void bring_elements(Block& block, int thread, int to, const T* source, const Place& place,
                                          int rows, int cols) {
  using S = Share<Tile, threads>;
  const int col = S::col(thread);
  BRICKWORK_DEVICE_NO_UNROLL for (int i = 0; i < S::kCopies; ++i) {
    const int row = S::row(thread, i);
    const T* const from = row < rows ? source + place(row) : source;
    BRICKWORK_DEVICE_NO_UNROLL for (int e = 0; e < Tile::kChunk; ++e) {
      block.store(to + S::at(thread, i) + e * Tile::kElement, row < rows && col + e < cols ? from[col + e] : T(0));
    }
  }
}

// How a call's tile comes into shared memory, a step at a time.
template <class Tile, class Block>
class TileCopies {
 public:
  using T = typename Tile::Element;

  BRICKWORK_HOST_DEVICE TileCopies(Block& block, const BrgemmShape& shape, const BrgemmCall& call, int row, int col,
                                   int rows, int cols)
      : block_(block), shape_(shape), call_(call), row_(row), col_(col), rows_(rows), cols_(cols) {
    const auto aligned = [](std::int64_t elements) { return elements % Tile::A::kChunk == 0; };
    chunks_ = aligned(shape.ldb) && aligned(cols);
    if constexpr (!kTransposes) {
      chunks_ = chunks_ && aligned(shape.lda) && aligned(shape.pixels_of_a.row) && aligned(shape.pixels_of_a.image) &&
                aligned(Tile::kATransposed ? rows : shape.k);
    }
    block.each_thread([&](int thread) {
      Mine& mine = mine_[thread];
      if constexpr (kTransposes) {
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < Transposing::kX; ++i) {
          const int r = Transposing::x(thread, i);
          mine.a[i] = r < rows ? shape.place_in_a(call.first_pixel + row + r) + Transposing::k(thread, 0) : kNone;
        }
      } else if constexpr (!Tile::kATransposed) {
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < OfA::kCopies; ++i) {
          const int r = OfA::row(thread, i);
          mine.a[i] = r < rows ? shape.place_in_a(call.first_pixel + row + r) + OfA::col(thread) : kNone;
        }
      }
      mine.b = OfB::row(thread, 0) * shape.ldb + OfB::col(thread);
      if constexpr (kTransposes) {
        mine.at_a = Tile::A::element(Transposing::x(thread, 0), Transposing::k(thread, 0));
      } else {
        mine.at_a = OfA::at(thread, 0);
      }
      mine.at_b = OfB::at(thread, 0);
    });
    enter();
  }

  // The next step, or nothing where there is none.
  BRICKWORK_HOST_DEVICE void bring(int stage) {
    if (member_ < call_.batch.size) {
      const int to = stage * Tile::kStageBytes, left = shape_.k - k_, k = left < Tile::kK ? left : Tile::kK;
      const T* const a = a_of_member_ + (Tile::kATransposed ? row_ : k_);
      const T* const b = b_of_member_ + k_ * shape_.ldb + col_;
      if (!chunks_ || !members_aligned_) {
        bring_elements_of(to, a, b, k);
      } else if (k == Tile::kK && rows_ == Tile::kM && cols_ == Tile::kN) {
        bring_chunks<true>(to, a, b, k);
      } else {
        bring_chunks<false>(to, a, b, k);
      }
      advance();
    }
    block_.commit();  // of nothing, too, so that the groups count the steps
  }

 private:
  using OfA = Share<typename Tile::A, Tile::kThreads>;
  using OfB = Share<typename Tile::B, Tile::kThreads>;
  using Transposing = TransposingShare<typename Tile::A, Tile::kThreads>;
  static constexpr bool kTransposes = Tile::kTransposesA;
  BRICKWORK_HOST_DEVICE static constexpr int rows_of_a() {
    if constexpr (kTransposes) {
      return Transposing::kX;
    } else {
      return OfA::kCopies;
    }
  }
  static constexpr std::int64_t kNone = -1;

  // What a thread would compute anew at every step, for longer than the products take (H100): where its rows of A lie,
  // unless they are steps over k; where its first copy of B does; and where the first ones go.
  struct Mine {
    std::int64_t a[rows_of_a()], b;
    int at_a, at_b;
  };

  BRICKWORK_HOST_DEVICE std::int64_t place_in_a(int r) const {
    return shape_.place_in_a(call_.first_pixel + (Tile::kATransposed ? k_ : row_) + r);
  }

  // Chunks of 16 bytes that are there or not; `all`: they are.
  template <bool all>
  BRICKWORK_HOST_DEVICE void bring_chunks(int to, const T* a, const T* b, int k) {
    block_.each_thread([&](int thread) {
      const Mine& mine = mine_[thread];
      if constexpr (kTransposes) {
        bring_transposed<all>(mine, thread, to, a, k);
      } else {
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < OfA::kCopies; ++i) {
          const std::int64_t place =
              Tile::kATransposed ? place_in_a(OfA::row(thread, i)) + OfA::col(thread) : mine.a[i];
          const bool live = all || (Tile::kATransposed ? OfA::row(thread, i) < k && OfA::col(thread) < rows_
                                                       : place != kNone && OfA::col(thread) < k);
          block_.template copy_async<all>(to + OfA::at(thread, i, mine.at_a), a + place, live);
        }
      }
      const T* from = b + mine.b;
      BRICKWORK_DEVICE_UNROLL for (int i = 0; i < OfB::kCopies; ++i, from += OfB::kRowsApart * shape_.ldb) {
        const bool live = all || (OfB::row(thread, i) < k && OfB::col(thread) < cols_);
        block_.template copy_async<all>(to + Tile::A::kBytes + OfB::at(thread, i, mine.at_b), from, live);
      }
    });
  }

  // A alone, each element by itself, wherever it lies.
  template <bool all>
  BRICKWORK_HOST_DEVICE void bring_transposed(const Mine& mine, int thread, int to, const T* a, int k) {
    using S = Transposing;
    BRICKWORK_DEVICE_UNROLL for (int x = 0; x < S::kX; ++x) {
      const T* const row = a + mine.a[x];
      BRICKWORK_DEVICE_UNROLL for (int step = 0; step < S::kK; ++step) {
        const bool live = all || (mine.a[x] != kNone && S::k(thread, step) < k);
        block_.template copy_element_async<all>(to + mine.at_a + Tile::A::element(x * S::kXApart, step * S::kSteps),
                                                row + step * S::kSteps, live);
      }
    }
  }

  BRICKWORK_HOST_DEVICE void bring_elements_of(int to, const T* a, const T* b, int k) {
    block_.each_thread([&](int thread) {
      if constexpr (kTransposes) {
        bring_transposed<false>(mine_[thread], thread, to, a, k);
      } else {
        bring_elements<typename Tile::A, Tile::kThreads>(
            block_, thread, to, a, [&](int r) { return place_in_a(r); }, Tile::kATransposed ? k : rows_,
            Tile::kATransposed ? rows_ : k);
      }
      bring_elements<typename Tile::B, Tile::kThreads>(
          block_, thread, to + Tile::A::kBytes, b, [&](int r) { return r * shape_.ldb; }, k, cols_);
    });
  }

  BRICKWORK_HOST_DEVICE void enter() {
    if (member_ == call_.batch.size) return;
    a_of_member_ = call_.batch.template a<T>(member_), b_of_member_ = call_.batch.template b<T>(member_);
    const auto of_a = reinterpret_cast<std::uintptr_t>(a_of_member_ + (Tile::kATransposed ? row_ : 0)),
               of_b = reinterpret_cast<std::uintptr_t>(b_of_member_ + col_);
    members_aligned_ = (kTransposes ? of_b : of_a | of_b) % kCopied == 0;
  }
  // Reads where the next member lies now, while there is time.
  BRICKWORK_HOST_DEVICE void advance() {
    k_ += Tile::kK;
    if (k_ < shape_.k) return;
    k_ = 0;
    ++member_;
    enter();
  }

  Block& block_;
  const BrgemmShape& shape_;
  const BrgemmCall& call_;
  const int row_, col_, rows_, cols_;
  typename Block::template PerThread<Mine> mine_;
  bool chunks_, members_aligned_ = false;
  std::int64_t member_ = 0;
  int k_ = 0;
  const T *a_of_member_ = nullptr, *b_of_member_ = nullptr;
};

}  // namespace brickwork::mma
