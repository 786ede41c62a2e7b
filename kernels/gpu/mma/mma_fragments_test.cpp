#include "kernels/gpu/mma/mma_fragments.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "kernels/base/bf16.hpp"
#include "kernels/gpu/mma/mma_tiles.hpp"

namespace brickwork::mma {
namespace {

// The formulas of the PTX ISA: groupID = lane >> 2, threadID_in_group = lane % 4, elements counted through the
// registers.
TEST(MmaFragments, MatchThePtxIsa) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const int group = lane >> 2, thread = lane % 4;
    for (int i = 0; i < 8; ++i) {  // m16n8k16, .bf16: a0 .. a7
      const auto [x, k] = Fragments<bf16>::a(lane, i / 2, i % 2);
      EXPECT_EQ(x, (0 <= i && i < 2) || (4 <= i && i < 6) ? group : group + 8);
      EXPECT_EQ(k, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0));
    }
    for (int i = 0; i < 4; ++i) {  // b0 .. b3
      const auto [x, k] = Fragments<bf16>::b(lane, i / 2, i % 2);
      EXPECT_EQ(k, thread * 2 + (i & 1) + (i >= 2 ? 8 : 0));
      EXPECT_EQ(x, group);
    }
    for (int i = 0; i < 4; ++i) {  // m16n8k8, .tf32: a0 .. a3
      const auto [x, k] = Fragments<float>::a(lane, i, 0);
      EXPECT_EQ(x, i == 0 || i == 2 ? group : group + 8);
      EXPECT_EQ(k, i < 2 ? thread : thread + 4);
    }
    for (int i = 0; i < 2; ++i) {  // b0, b1
      const auto [x, k] = Fragments<float>::b(lane, i, 0);
      EXPECT_EQ(k, i == 0 ? thread : thread + 4);
      EXPECT_EQ(x, group);
    }
    for (int i = 0; i < 4; ++i) {  // c0 .. c3 of both
      const auto [row, col] = sum_at(lane, i);
      EXPECT_EQ(row, i < 2 ? group : group + 8);
      EXPECT_EQ(col, thread * 2 + (i & 1));
    }
  }
}

template <class T>
void expect_each_element_once() {
  using F = Fragments<T>;
  std::set<std::pair<int, int>> a, b, sums;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int r = 0; r < 4; ++r) {
      for (int e = 0; e < F::kOfRegister; ++e) {
        const XAndK of_a = F::a(lane, r, e), of_b = F::b(lane, r, e);
        EXPECT_TRUE(of_a.x < F::kM && of_a.k < F::kK && of_b.x < 2 * F::kN && of_b.k < F::kK);
        a.insert({of_a.x, of_a.k}), b.insert({of_b.x, of_b.k});
      }
      sums.insert({sum_at(lane, r).row, sum_at(lane, r).col});
    }
  }
  EXPECT_EQ(a.size(), F::kM * F::kK);
  EXPECT_EQ(b.size(), 2 * F::kN * F::kK);
  EXPECT_EQ(sums.size(), F::kM * F::kN);
}

TEST(MmaFragments, HoldEachElementOnce) {
  expect_each_element_once<bf16>();
  expect_each_element_once<float>();
}

// The banks of 4 bytes that one access touches. A bank touched twice would split the access.
class Banks {
 public:
  void touch(int at, int bytes) {
    for (int byte = at; byte < at + bytes; byte += 4) met_.insert(byte / 4 % 32), ++touched_;
  }
  bool without_conflict() const { return touched_ == met_.size(); }

 private:
  std::set<int> met_;
  std::size_t touched_ = 0;
};

template <class Tile>
void expect_bijective() {
  std::set<int> places;
  for (int row = 0; row < Tile::kRows; ++row) {
    for (int chunk = 0; chunk < Tile::kChunks; ++chunk) {
      const int at = Tile::chunk(row, chunk);
      EXPECT_TRUE(at >= 0 && at % kCopied == 0 && at + kCopied <= Tile::kBytes);
      places.insert(at);
    }
  }
  EXPECT_EQ(static_cast<int>(places.size()) * kCopied, Tile::kBytes);
}

// Eight threads copy eight neighbouring chunks at once.
template <class Tile>
void expect_copies_without_conflict() {
  for (int first = 0; first < Tile::kRows * Tile::kChunks; first += 8) {
    Banks banks;
    for (int c = first; c < first + 8; ++c) banks.touch(Tile::chunk(c / Tile::kChunks, c % Tile::kChunks), kCopied);
    EXPECT_TRUE(banks.without_conflict()) << first;
  }
}

// ldmatrix reads one matrix, 8 rows of 16 bytes, at a time; a load of f32 reads one element per lane.
template <class Tile, class T, class Row, class Element>
void expect_reads_without_conflict(int x_size, int k_size, Row matrix_row, Element element) {
  for (int k = 0; k < k_size; k += Fragments<T>::kK) {
    for (int x = 0; x < x_size; x += 16) {
      for (int part = 0; part < 4; ++part) {
        Banks banks;
        if (sizeof(T) == 2) {
          for (int lane = 8 * part; lane < 8 * part + 8; ++lane) {
            const XAndK at = matrix_row(lane);
            banks.touch(Tile::element(x + at.x, k + at.k), kCopied);
          }
        } else {
          for (int lane = 0; lane < kLanes; ++lane) {
            const XAndK at = element(lane, part);
            banks.touch(Tile::element(x + at.x, k + at.k), 4);
          }
        }
        EXPECT_TRUE(banks.without_conflict()) << x << " " << k << " " << part;
      }
    }
  }
}

template <class Tile>
void expect_good() {
  using T = typename Tile::Element;
  expect_bijective<typename Tile::A>();
  expect_bijective<typename Tile::B>();
  expect_copies_without_conflict<typename Tile::A>();
  expect_copies_without_conflict<typename Tile::B>();
  expect_reads_without_conflict<typename Tile::A, T>(Tile::kM, Tile::kK, matrix_row_of_a<!Tile::kATransposed>,
                                                     [](int lane, int r) { return Fragments<T>::a(lane, r, 0); });
  expect_reads_without_conflict<typename Tile::B, T>(Tile::kN, Tile::kK, matrix_row_of_b,
                                                     [](int lane, int r) { return Fragments<T>::b(lane, r, 0); });
}

TEST(SharedTile, HasAPlaceForEachElementAndNoBankConflicts) {
  expect_good<WideMmaTile<bf16>>();
  expect_good<WideMmaTile<bf16, true>>();
  expect_good<NarrowMmaTile<bf16>>();
  expect_good<NarrowMmaTile<bf16, true>>();
  expect_good<WideMmaTile<float>>();
  expect_good<WideMmaTile<float, true>>();
  expect_good<NarrowMmaTile<float>>();
  expect_good<NarrowMmaTile<float, true>>();
  expect_good<MmaTile<bf16, 32, 32, 64, 1, 1, 2>>();
  expect_good<MmaTile<bf16, 32, 32, 16, 1, 1, 2, true>>();
  expect_good<MmaTile<float, 32, 32, 16, 1, 1, 2>>();
}

TEST(SwizzledTile, HasAPlaceForEachElementAndNoBankConflicts) {
  const auto expect = []<class Tile>(std::type_identity<Tile>) {
    expect_bijective<typename Tile::A>();
    expect_bijective<typename Tile::B>();
    expect_copies_without_conflict<typename Tile::A>();
    expect_copies_without_conflict<typename Tile::B>();
  };
  expect(std::type_identity<WidestWgmmaTile<>>());
  expect(std::type_identity<WideWgmmaTile<true>>());
  expect(std::type_identity<NarrowWgmmaTile<>>());
}

// The elements of a chunk are contiguous.
TEST(SharedTile, KeepsTheElementsOfAChunkTogether) {
  using Inside = SharedTile<bf16, 16, 32, true>;
  using Outside = SharedTile<float, 32, 8, false>;
  for (int x = 0; x < 16; ++x) {
    for (int k = 0; k < 32; ++k) EXPECT_EQ(Inside::element(x, k), Inside::chunk(x, k / 8) + k % 8 * 2);
  }
  for (int x = 0; x < 32; ++x) {
    for (int k = 0; k < 8; ++k) EXPECT_EQ(Outside::element(x, k), Outside::chunk(k, x / 4) + x % 4 * 4);
  }
}

// When a step is read, its group has been waited for, and no copy under way writes to its stage.
template <int stages>
void expect_ring() {
  using R = Ring<stages>;
  std::vector<int> step_in(stages, -1);
  int groups = 0, writes = 0, reads = 0;
  for (; writes < R::kAhead; ++writes) step_in[static_cast<std::size_t>(writes)] = groups++;
  for (int step = 0; step < 5 * stages; ++step) {
    EXPECT_LT(step, groups - R::kUnfinished);      // its copies are done
    EXPECT_GE(step + 1, groups - R::kUnfinished);  // and no later group has to be
    EXPECT_NE(writes, reads);
    step_in[static_cast<std::size_t>(writes)] = groups++;
    EXPECT_EQ(step_in[static_cast<std::size_t>(reads)], step);
    reads = R::next(reads), writes = R::next(writes);
  }
}

// Asynchronous products of the step before may be unfinished: its stage must not be written either.
TEST(Ring, WritesNoStageThatProductsMayRead) {
  using R = Ring<4, 1>;
  int writes = R::kAhead, reads = 0, before = 3;
  for (int step = 0; step < 12; ++step) {
    EXPECT_NE(writes, reads);
    EXPECT_NE(writes, before);
    before = reads, reads = R::next(reads), writes = R::next(writes);
  }
}

TEST(Ring, ReadsEachStepAfterItsCopiesAndBeforeTheNextOnes) {
  expect_ring<2>();
  expect_ring<3>();
  expect_ring<4>();
  expect_ring<7>();
}

}  // namespace
}  // namespace brickwork::mma
