// What the simd brick's per-ISA code (brgemm_simd-inl.h) and its dispatch (brgemm_simd.cpp) share.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "brgemm.hpp"

namespace brickwork {

// The members of a batch, whichever way the caller names them: member i is at base + i * stride, or at
// base + offsets[i]; a pointer array is an array of offsets from address 0. Bytes.
struct BatchCursor {
  std::int64_t size;
  std::uintptr_t base_a, base_b;
  std::int64_t stride_a = 0, stride_b = 0;
  const std::uint64_t* offsets_a = nullptr;  // null for strides
  const std::uint64_t* offsets_b = nullptr;

  const float* a(std::int64_t i) const { return member(i, base_a, stride_a, offsets_a); }
  const float* b(std::int64_t i) const { return member(i, base_b, stride_b, offsets_b); }

 private:
  static const float* member(std::int64_t i, std::uintptr_t base, std::int64_t stride, const std::uint64_t* offsets) {
    return reinterpret_cast<const float*>(base + (offsets ? offsets[i] : static_cast<std::uint64_t>(i * stride)));
  }
};

// Which of a register tile's rows a member adds to.
enum class LiveRows : std::uint8_t { all, but_first, but_last, none };

struct Band;
using BandFunction = void (*)(const BatchCursor&, const BrgemmShape&, const Band&, float* c);

// Register tiles of one size, one below the other. Offsets in elements.
struct Band {
  BandFunction run;
  int tiles;
  int last_lanes;  // of the last vector, for bands at the right edge
  std::int64_t a_offset, b_offset, c_offset;
  std::vector<LiveRows> live_rows;  // [tile][tap]; empty where all rows always are
};

struct Span {
  int begin, size;
  int end() const { return begin + size; }
};

// 0 .. total in the fewest pieces of at most `most`, sizes differing by at most one, larger ones first.
inline std::vector<Span> EqualSpans(int total, int most) {
  const int pieces = (total + most - 1) / most;
  std::vector<Span> spans;
  for (int i = 0, begin = 0; i < pieces; ++i) {
    const int size = total / pieces + (i < total % pieces ? 1 : 0);
    spans.push_back({begin, size});
    begin += size;
  }
  return spans;
}

// A member whose rows are live but for several at an end gets the tile that leaves out one of them: the others are
// zeros and do no harm.
inline LiveRows FindLiveRows(Span rows, int tap, const ImageColumns& image) {
  if (image.has(rows.begin, tap)) return image.has(rows.end() - 1, tap) ? LiveRows::all : LiveRows::but_last;
  for (int row = rows.begin + 1; row < rows.end(); ++row) {
    if (image.has(row, tap)) return LiveRows::but_first;
  }
  return LiveRows::none;
}

}  // namespace brickwork
