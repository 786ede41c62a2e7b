#include "transpose.hpp"

#include "hwy/highway.h"

namespace brickwork {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kTile = 4;

// A kTile x kTile part.
void transpose_tile(const float* from, std::int64_t ld_from, float* to, std::int64_t ld_to) {
  const hn::Full128<float> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto row = [&](int i) { return hn::LoadU(d, from + i * ld_from); };
  const auto low = [&](auto a, auto b) { return hn::BitCast(pairs, hn::InterleaveLower(d, a, b)); };
  const auto high = [&](auto a, auto b) { return hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)); };
  const auto store = [&](int j, auto column) { hn::StoreU(hn::BitCast(d, column), d, to + j * ld_to); };
  const auto a = low(row(0), row(1)), b = low(row(2), row(3)), c = high(row(0), row(1)), e = high(row(2), row(3));
  store(0, hn::InterleaveLower(pairs, a, b));
  store(1, hn::InterleaveUpper(pairs, a, b));
  store(2, hn::InterleaveLower(pairs, c, e));
  store(3, hn::InterleaveUpper(pairs, c, e));
}

}  // namespace

void transpose(std::int64_t rows, std::int64_t cols, const float* from, float* to) {
  const std::int64_t whole_rows = rows / kTile * kTile, whole_cols = cols / kTile * kTile;
  for (std::int64_t j = 0; j < whole_cols; j += kTile) {
    for (std::int64_t i = 0; i < whole_rows; i += kTile) {
      transpose_tile(from + i * cols + j, cols, to + j * rows + i, rows);
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i < whole_rows ? whole_cols : 0; j < cols; ++j) to[j * rows + i] = from[i * cols + j];
  }
}

}  // namespace brickwork
