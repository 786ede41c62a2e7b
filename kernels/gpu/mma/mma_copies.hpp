// Copies of a GPU brick's operands into shared memory. The members of a call and their steps over k form one sequence;
// each step goes into a stage of a ring that cp.async fills. Tile and Block: see brgemm_mma.hpp.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/mma/mma_fragments.hpp"

namespace brickwork::mma {

// One thread's copies of a tile, in chunks: row, column and destination of the i-th one.
template <class Tile, int threads>
struct Share {
  static constexpr int kCopies = Tile::kRows * Tile::kChunks / threads;
  static_assert(kCopies * threads == Tile::kRows * Tile::kChunks);
  // All copies of a thread have the same columns; their rows are this far apart.
  static constexpr int kRowsApart = Tile::row_of(threads);
  static_assert(Tile::chunk_of(threads) == 0);

  BRICKWORK_HOST_DEVICE static constexpr int row(int thread, int i) { return Tile::row_of(thread) + i * kRowsApart; }
  BRICKWORK_HOST_DEVICE static constexpr int col(int thread) { return Tile::chunk_of(thread) * Tile::kChunk; }
  BRICKWORK_HOST_DEVICE static constexpr int at(int thread, int i) {
    return Tile::chunk(row(thread, i), Tile::chunk_of(thread));
  }
  // The destination of the i-th copy, given that of the first one.
  BRICKWORK_HOST_DEVICE static constexpr int at(int thread, int i, int first) {
    return kRowsApart % Tile::kSwizzleRows == 0 ? first + i * Tile::chunk(kRowsApart, 0) : at(thread, i);
  }
};

// As Share, but one element at a time, for a tile of k by x with a source that is contiguous along k: eight threads
// copy eight steps of a row, which are one sector of memory.
template <class Tile, int threads>
struct TransposingShare {
  static constexpr int kSteps = 8, kXApart = threads / kSteps;
  static constexpr int kX = Tile::kCols / kXApart, kK = Tile::kRows / kSteps;
  static_assert(kX * kXApart == Tile::kCols && kK * kSteps == Tile::kRows);

  BRICKWORK_HOST_DEVICE static constexpr int x(int thread, int i) { return thread / kSteps + i * kXApart; }
  BRICKWORK_HOST_DEVICE static constexpr int k(int thread, int i) { return thread % kSteps + i * kSteps; }
};

// One thread's copies of a step, element by element, for rows x cols of a tile; place(row) is the start of a row in
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

// Copies a call's tile into shared memory, one step at a time. A thread that reads the call or the shape between the
// products of two steps waits for it, and the products are short: on tensor cores such waits took half of a small
// convolution's time (H100). So places are in bytes, and the place of the next member is read one member ahead.
template <class Tile, class Block>
class TileCopies {
 public:
  using T = typename Tile::Element;

  BRICKWORK_HOST_DEVICE TileCopies(Block& block, const BrgemmShape& shape, const BrgemmCall& call, int row, int col,
                                   int rows, int cols)
      : block_(block),
        shape_(shape),
        call_(call),
        batch_(call.batch),
        row_(row),
        col_(col),
        rows_(rows),
        cols_(cols),
        whole_(rows == Tile::kM && cols == Tile::kN),
        members_(static_cast<int>(batch_.size)),
        left_(shape.k) {
    if (members_ > 0) next_ = offsets(0);
    const Offsets first = next_;
    if (members_ > 1) next_ = offsets(1);
    const auto aligned = [](std::int64_t elements) { return elements % Tile::A::kChunk == 0; };
    shape_in_chunks_ = aligned(shape.ldb) && aligned(cols);
    if constexpr (!kTransposes) {
      shape_in_chunks_ = shape_in_chunks_ && aligned(shape.lda) && aligned(shape.pixels_of_a.row) &&
                         aligned(shape.pixels_of_a.image) && aligned(Tile::kATransposed ? rows : shape.k);
    }
    block.each_thread([&](int thread) {
      if constexpr (Tile::kATransposed) {
        for (int step = 0; step < Tile::Ring::kAhead; ++step) find_places(thread, step);
      } else {
        BRICKWORK_DEVICE_NO_UNROLL for (int r = thread; r < Tile::kM; r += Tile::kThreads) {
          block.store(Tile::Memory::place(r), r < rows ? bytes(place_in_a(row_ + r)) : kNone);
        }
      }
    });
    block.barrier();
    block.each_thread([&](int thread) {
      Mine& mine = mine_[thread];
      if constexpr (!Tile::kATransposed) {
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < rows_of_a(); ++i) {
          const auto place = block.template load<std::int64_t>(Tile::Memory::place(row_of_a(thread, i)));
          mine.a[i] = place == kNone ? kNone : place + bytes(col_of_a(thread));
        }
      }
      mine.b = bytes(OfB::row(thread, 0) * shape.ldb + OfB::col(thread));
      if constexpr (kTransposes) {
        mine.at_a = Tile::A::element(Transposing::x(thread, 0), Transposing::k(thread, 0));
      } else {
        mine.at_a = OfA::at(thread, 0);
      }
      mine.at_b = OfB::at(thread, 0);
    });
    enter(first);
  }

  // Copies the next step into a stage, if there is one.
  BRICKWORK_HOST_DEVICE void bring(int stage) {
    if (member_ < members_) {
      const int to = stage * Tile::kStageBytes, k = left_ < Tile::kK ? left_ : Tile::kK;
      if (full_ && left_ >= Tile::kK) {
        bring_chunks<true>(to, k);
      } else if (chunks_) {
        bring_chunks<false>(to, k);
      } else {
        bring_elements_of(to, k);
      }
      advance();
    }
    block_.commit();  // commits even an empty group, so that groups count the steps
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
  BRICKWORK_HOST_DEVICE static constexpr int row_of_a(int thread, int i) {
    if constexpr (kTransposes) {
      return Transposing::x(thread, i);
    } else {
      return OfA::row(thread, i);
    }
  }
  BRICKWORK_HOST_DEVICE static constexpr int col_of_a(int thread) {
    if constexpr (kTransposes) {
      return Transposing::k(thread, 0);
    } else {
      return OfA::col(thread);
    }
  }
  BRICKWORK_HOST_DEVICE static constexpr std::int64_t bytes(std::int64_t elements) {
    return elements * static_cast<std::int64_t>(sizeof(T));
  }
  BRICKWORK_HOST_DEVICE static const T* behind(const T* from, std::int64_t bytes) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
  }
  static constexpr std::int64_t kNone = -1;

  // Values that a thread would otherwise compute at every step, which takes longer than the products (H100). In bytes
  // from a step's first element: the places of its rows of A (unless these are steps over k) and of its first copy of
  // B; and the destinations of its first copies.
  struct Mine {
    std::int64_t a[rows_of_a()], b;
    int at_a, at_b;
  };

  BRICKWORK_HOST_DEVICE std::int64_t place_in_a(std::int64_t pixel) const {
    return shape_.place_in_a(call_.first_pixel + pixel);
  }

  // For a transposed A: finds the places of the rows of a step.
  BRICKWORK_HOST_DEVICE void find_places(int thread, int step) {
    const int first = step % steps_of_member() * Tile::kK;
    BRICKWORK_DEVICE_NO_UNROLL for (int r = thread; r < Tile::kK; r += Tile::kThreads) {
      block_.store(Tile::Memory::place(step, r), bytes(place_in_a(first + r)));
    }
  }
  BRICKWORK_HOST_DEVICE int steps_of_member() const { return (shape_.k + Tile::kK - 1) / Tile::kK; }

  // Copies chunks of 16 bytes, with zeros for those that do not exist; `all`: all exist.
  template <bool all>
  BRICKWORK_HOST_DEVICE void bring_chunks(int to, int k) {
    block_.each_thread([&](int thread) {
      const Mine& mine = mine_[thread];
      if constexpr (kTransposes) {
        bring_transposed<all>(mine, thread, to, k);
      } else {
        BRICKWORK_DEVICE_UNROLL for (int i = 0; i < OfA::kCopies; ++i) {
          const std::int64_t place = place_of_copy(mine, thread, i);
          const bool live = all || (Tile::kATransposed ? OfA::row(thread, i) < k && OfA::col(thread) < rows_
                                                       : place != kNone && OfA::col(thread) < k);
          block_.template copy_async<all>(to + OfA::at(thread, i, mine.at_a), behind(a_, place), live);
        }
      }
      const T* from = behind(b_, mine.b);
      BRICKWORK_DEVICE_UNROLL for (int i = 0; i < OfB::kCopies; ++i, from += OfB::kRowsApart * shape_.ldb) {
        const bool live = all || (OfB::row(thread, i) < k && OfB::col(thread) < cols_);
        block_.template copy_async<all>(to + Tile::A::kBytes + OfB::at(thread, i, mine.at_b), from, live);
      }
    });
  }

  BRICKWORK_HOST_DEVICE std::int64_t place_of_copy(const Mine& mine, int thread, int i) const {
    if constexpr (Tile::kATransposed) {
      const int place = Tile::Memory::place(step_, OfA::row(thread, i));
      return block_.template load<std::int64_t>(place) + bytes(OfA::col(thread));
    } else {
      return mine.a[i];
    }
  }

  // Copies A, one element at a time, with any alignment.
  template <bool all>
  BRICKWORK_HOST_DEVICE void bring_transposed(const Mine& mine, int thread, int to, int k) {
    using S = Transposing;
    BRICKWORK_DEVICE_UNROLL for (int x = 0; x < S::kX; ++x) {
      const T* const row = behind(a_, mine.a[x]);
      BRICKWORK_DEVICE_UNROLL for (int step = 0; step < S::kK; ++step) {
        const bool live = all || (mine.a[x] != kNone && S::k(thread, step) < k);
        block_.template copy_element_async<all>(to + mine.at_a + Tile::A::element(x * S::kXApart, step * S::kSteps),
                                                row + step * S::kSteps, live);
      }
    }
  }

  BRICKWORK_HOST_DEVICE void bring_elements_of(int to, int k) {
    block_.each_thread([&](int thread) {
      if constexpr (kTransposes) {
        bring_transposed<false>(mine_[thread], thread, to, k);
      } else {
        bring_elements<typename Tile::A, Tile::kThreads>(
            block_, thread, to, a_,
            [&](int r) { return place_in_a((Tile::kATransposed ? shape_.k - left_ : row_) + r); },
            Tile::kATransposed ? k : rows_, Tile::kATransposed ? rows_ : k);
      }
      bring_elements<typename Tile::B, Tile::kThreads>(
          block_, thread, to + Tile::A::kBytes, b_, [&](int r) { return r * shape_.ldb; }, k, cols_);
    });
  }

  struct Offsets {
    std::uint64_t a, b;
  };
  BRICKWORK_HOST_DEVICE Offsets offsets(int member) const { return {batch_.offset_a(member), batch_.offset_b(member)}; }

  BRICKWORK_HOST_DEVICE void enter(const Offsets& at) {
    a_ = reinterpret_cast<const T*>(batch_.base_a + at.a) + (Tile::kATransposed ? row_ : 0);
    b_ = reinterpret_cast<const T*>(batch_.base_b + at.b) + col_;
    const auto of_a = reinterpret_cast<std::uintptr_t>(a_), of_b = reinterpret_cast<std::uintptr_t>(b_);
    chunks_ = shape_in_chunks_ && (kTransposes ? of_b : of_a | of_b) % kCopied == 0;
    full_ = chunks_ && whole_;
  }
  BRICKWORK_HOST_DEVICE void advance() {
    if constexpr (Tile::kATransposed) {
      block_.each_thread([&](int thread) { find_places(thread, step_ + Tile::Ring::kAhead); });
      ++step_;
    }
    left_ -= Tile::kK;
    if (left_ > 0) {
      if (!Tile::kATransposed) a_ += Tile::kK;
      b_ += Tile::kK * shape_.ldb;
      return;
    }
    left_ = shape_.k;
    if (++member_ == members_) return;
    enter(next_);
    if (member_ + 1 < members_) next_ = offsets(member_ + 1);
  }

  Block& block_;
  const BrgemmShape& shape_;
  const BrgemmCall& call_;
  // A copy in registers saves a wait at each step's end. Multiply-adds have no registers left, but their steps are long
  // enough to hide the wait.
  const std::conditional_t<Tile::kKeepsBatch, Batch, const Batch&> batch_;
  const int row_, col_, rows_, cols_;
  const bool whole_;
  const int members_;
  typename Block::template PerThread<Mine> mine_;
  bool shape_in_chunks_, chunks_ = false, full_ = false;  // can copy 16-byte chunks: by the shape, for this member;
                                                          // full_: of whole tiles
  int member_ = 0, step_ = 0;                             // counted over the call
  int left_;                                              // of the member's k
  const T *a_ = nullptr, *b_ = nullptr;                   // the first element of the next step to copy
  Offsets next_ = {};                                     // of the next member
};

}  // namespace brickwork::mma
