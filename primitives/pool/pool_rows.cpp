#include "pool/pool_rows.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pool/pool_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Range = PoolAxis::Range;

// NaN is larger than all, and of equals the first one is: a value that takes the place of the largest so far.
template <class D>
HWY_INLINE hn::Mask<D> Larger(D, hn::Vec<D> x, hn::Vec<D> largest) {
  // Not Ne(), which on x86 is false of NaN.
  return hn::Or(hn::Gt(x, largest), hn::AndNot(hn::Eq(x, x), hn::Eq(largest, largest)));
}

void MaxRow(const PoolGeometry& g, const PoolForwardRow& f) {
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst);
  const Range rows = g.rows.taps_in_image(f.row);
  const float* const top = f.src + (g.rows.first(f.row) + rows.begin) * f.next_row;
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const float* const corner = top + (g.columns.first(q) + columns.begin) * g.bc;
    ForVectors(hn::ScalableTag<float>(), 0, g.bc, [&](auto d, std::int64_t j) HWY_ATTR {
      const hn::RebindToSigned<decltype(d)> di;
      auto largest = hn::LoadU(d, corner + j);
      auto index = hn::Set(di, static_cast<std::int32_t>(rows.begin * g.columns.taps + columns.begin));
      for (std::int64_t r = 0; r < rows.size(); ++r)
        for (std::int64_t s = 0; s < columns.size(); ++s) {
          const auto x = hn::LoadU(d, corner + r * f.next_row + s * g.bc + j);
          const auto larger = Larger(d, x, largest);
          const auto tap = static_cast<std::int32_t>((rows.begin + r) * g.columns.taps + columns.begin + s);
          largest = hn::IfThenElse(larger, x, largest);
          index = hn::IfThenElse(hn::RebindMask(di, larger), hn::Set(di, tap), index);
        }
      StoreOrStream(largest, d, f.dst + q * g.bc + j, stream);
      if (f.indices != nullptr) hn::StoreU(index, di, f.indices + q * g.bc + j);
    });
  }
  if (stream) hwy::FlushStream();  // another thread may read it next
}

void AverageRow(const PoolGeometry& g, const PoolForwardRow& f) {
  const bool stream = f.stream && AlignedVectors(g.bc, f.dst);
  const Range rows = g.rows.taps_in_image(f.row);
  const float* const top = f.src + (g.rows.first(f.row) + rows.begin) * f.next_row;
  for (std::int64_t q = 0; q < g.columns.outputs; ++q) {
    const Range columns = g.columns.taps_in_image(q);
    const float* const corner = top + (g.columns.first(q) + columns.begin) * g.bc;
    const float share = g.row_shares[f.row] * g.column_shares[q];
    ForVectors(hn::ScalableTag<float>(), 0, g.bc, [&](auto d, std::int64_t j) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (std::int64_t r = 0; r < rows.size(); ++r)
        for (std::int64_t s = 0; s < columns.size(); ++s)
          sum = hn::Add(sum, hn::LoadU(d, corner + r * f.next_row + s * g.bc + j));
      StoreOrStream(hn::Mul(sum, hn::Set(d, share)), d, f.dst + q * g.bc + j, stream);
    });
  }
  if (stream) hwy::FlushStream();
}

// part(d, p, q, w, j): what pixel w of the row has of window (p, q).
template <class Part>
HWY_INLINE void GatherRow(const PoolGeometry& g, const PoolBackwardRow& b, const Part& part) {
  const bool stream = b.stream && AlignedVectors(g.bc, b.dsrc);
  const Range rows = g.rows.windows_of(b.row);
  for (std::int64_t w = 0; w < g.columns.image; ++w) {
    const Range columns = g.column_windows[w];
    ForVectors(hn::ScalableTag<float>(), 0, g.bc, [&](auto d, std::int64_t j) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (std::int64_t p = rows.begin; p < rows.end; ++p)
        for (std::int64_t q = columns.begin; q < columns.end; ++q) sum = hn::Add(sum, part(d, p, q, w, j));
      StoreOrStream(sum, d, b.dsrc + w * g.bc + j, stream);
    });
  }
  if (stream) hwy::FlushStream();
}

void MaxGradientRow(const PoolGeometry& g, const PoolBackwardRow& b) {
  GatherRow(g, b, [&](auto d, std::int64_t p, std::int64_t q, std::int64_t w, std::int64_t j) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const std::int64_t r = b.row - g.rows.first(p), s = w - g.columns.first(q);
    const auto tap = hn::Set(di, static_cast<std::int32_t>(r * g.columns.taps + s));
    const auto largest = hn::LoadU(di, b.indices + (p * g.columns.outputs + q) * g.bc + j);
    return hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(largest, tap)),
                              hn::LoadU(d, b.ddst + p * b.next_row + q * g.bc + j));
  });
}

void AverageGradientRow(const PoolGeometry& g, const PoolBackwardRow& b) {
  GatherRow(g, b, [&](auto d, std::int64_t p, std::int64_t q, std::int64_t, std::int64_t j) HWY_ATTR {
    return hn::Mul(hn::LoadU(d, b.ddst + p * b.next_row + q * g.bc + j),
                   hn::Set(d, g.row_shares[p] * g.column_shares[q]));
  });
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(MaxRow);
HWY_EXPORT(AverageRow);
HWY_EXPORT(MaxGradientRow);
HWY_EXPORT(AverageGradientRow);

void max_row(const PoolGeometry& g, const PoolForwardRow& row) {
  BRICKWORK_CHOSEN(MaxRow);
  chosen(g, row);
}

void average_row(const PoolGeometry& g, const PoolForwardRow& row) {
  BRICKWORK_CHOSEN(AverageRow);
  chosen(g, row);
}

void max_gradient_row(const PoolGeometry& g, const PoolBackwardRow& row) {
  BRICKWORK_CHOSEN(MaxGradientRow);
  chosen(g, row);
}

void average_gradient_row(const PoolGeometry& g, const PoolBackwardRow& row) {
  BRICKWORK_CHOSEN(AverageGradientRow);
  chosen(g, row);
}

}  // namespace brickwork
#endif
