#include "kernels/layout/transpose.hpp"

#include <algorithm>

#include "kernels/base/floats.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout/transpose.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
constexpr std::int64_t kTile = 1;

void TransposeTile(const float* from, std::int64_t, float* to, std::int64_t) { *to = *from; }
#else
constexpr std::int64_t kTile = 4;

void TransposeTile(const float* from, std::int64_t ld_from, float* to, std::int64_t ld_to) {
  const hn::Full128<float> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto row0 = hn::LoadU(d, from), row1 = hn::LoadU(d, from + ld_from), row2 = hn::LoadU(d, from + 2 * ld_from),
             row3 = hn::LoadU(d, from + 3 * ld_from);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row0, row1)),
             low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row2, row3)),
             high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row0, row1)),
             high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row2, row3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + ld_to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * ld_to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * ld_to);
}
#endif

// Works on blocks of one cache line by one cache line: each line of either matrix is used up before it is evicted.
void Transpose(std::int64_t rows, std::int64_t cols, const float* from, std::int64_t ld_from, float* to,
               std::int64_t ld_to) {
  const std::int64_t whole_rows = rows / kTile * kTile, whole_cols = cols / kTile * kTile;
  for (std::int64_t row = 0; row < whole_rows; row += kFloatsOfLine) {
    for (std::int64_t col = 0; col < whole_cols; col += kFloatsOfLine) {
      for (std::int64_t i = row; i < std::min(row + kFloatsOfLine, whole_rows); i += kTile) {
        for (std::int64_t j = col; j < std::min(col + kFloatsOfLine, whole_cols); j += kTile) {
          TransposeTile(from + i * ld_from + j, ld_from, to + j * ld_to + i, ld_to);
        }
      }
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i < whole_rows ? whole_cols : 0; j < cols; ++j) to[j * ld_to + i] = from[i * ld_from + j];
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(Transpose);

void transpose(std::int64_t rows, std::int64_t cols, const float* from, std::int64_t ld_from, float* to,
               std::int64_t ld_to) {
  BRICKWORK_CHOSEN(Transpose);
  chosen(rows, cols, from, ld_from, to, ld_to);
}

}  // namespace brickwork
#endif
