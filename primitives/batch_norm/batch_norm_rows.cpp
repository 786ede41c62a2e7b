#include "batch_norm/batch_norm_rows.hpp"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "batch_norm/batch_norm_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arguments come by value: a vector that is stored might else have changed them, and all were loaded again for the
// next.

// body(d, row, i, j): the vector at i of a row, which is channels j and on of its pixel.
template <class Body>
HWY_INLINE void ForPixels(PixelRows p, const Body& body) {
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t pixel = 0; pixel < p.pixels; ++pixel)
      ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, p.bc,
                    [&](auto d, std::int64_t j) HWY_ATTR { body(d, row, pixel * p.bc + j, j); });
}

template <class T>
HWY_INLINE T* At(Rows<T> rows, std::int64_t row, std::int64_t i) {
  return rows.data + row * rows.next + i;
}

// sum[j] = the sum of a(d, row, i, j) over all pixels, sum_ab[j] that of a * b. Four pixels are one addition to memory,
// which would otherwise be what the loop waits for.
template <class A, class B>
HWY_INLINE void SumPixels(PixelRows p, float* HWY_RESTRICT sum, float* HWY_RESTRICT sum_ab, const A& a, const B& b) {
  constexpr std::int64_t kTogether = 4;
  for (float* s : {sum, sum_ab}) std::fill_n(s, p.bc, 0.0f);
  const auto add = [](auto d, float* to, auto x) HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d, to), x), d, to); };
  for (std::int64_t row = 0; row < p.rows; ++row) {
    std::int64_t pixel = 0;
    for (; pixel + kTogether <= p.pixels; pixel += kTogether) {
      ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, p.bc, [&](auto d, std::int64_t j) HWY_ATTR {
        const std::int64_t i = pixel * p.bc + j, next = p.bc;
        const auto a0 = a(d, row, i, j), a1 = a(d, row, i + next, j);
        const auto a2 = a(d, row, i + 2 * next, j), a3 = a(d, row, i + 3 * next, j);
        const auto even = hn::MulAdd(a2, b(d, row, i + 2 * next, j), hn::Mul(a0, b(d, row, i, j)));
        const auto odd = hn::MulAdd(a3, b(d, row, i + 3 * next, j), hn::Mul(a1, b(d, row, i + next, j)));
        add(d, sum + j, hn::Add(hn::Add(a0, a2), hn::Add(a1, a3)));
        add(d, sum_ab + j, hn::Add(even, odd));
      });
    }
    for (; pixel < p.pixels; ++pixel) {
      ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, p.bc, [&](auto d, std::int64_t j) HWY_ATTR {
        const std::int64_t i = pixel * p.bc + j;
        const auto x = a(d, row, i, j);
        add(d, sum + j, x);
        add(d, sum_ab + j, hn::Mul(x, b(d, row, i, j)));
      });
    }
  }
}

void StatisticsOfRows(PixelRows p, Rows<const float> src, RowStatistics s) {
  const auto value = [&](auto d, std::int64_t row, std::int64_t i, std::int64_t)
                         HWY_ATTR { return hn::LoadU(d, At(src, row, i)); };
  const PixelRows first{1, std::min<std::int64_t>(p.pixels, 8), p.bc};
  SumPixels(first, s.about, s.square, value, value);
  const float share = 1 / static_cast<float>(first.pixels);
  for (std::int64_t j = 0; j < p.bc; ++j) s.about[j] *= share;
  const auto deviation = [&](auto d, std::int64_t row, std::int64_t i, std::int64_t j)
                             HWY_ATTR { return hn::Sub(hn::LoadU(d, At(src, row, i)), hn::LoadU(d, s.about + j)); };
  SumPixels(p, s.deviation, s.square, deviation, deviation);
}

void Normalise(PixelRows p, Rows<const float> src, Rows<const float> residual, Rows<float> dst, NormaliseRows n) {
  const bool stream = n.stream && AlignedVectors(p.bc, dst.data);
  ForPixels(p, [&](auto d, std::int64_t row, std::int64_t i, std::int64_t j) HWY_ATTR {
    auto x = hn::Sub(hn::LoadU(d, At(src, row, i)), hn::LoadU(d, n.mean + j));
    x = hn::MulAdd(x, hn::LoadU(d, n.scale + j), hn::LoadU(d, n.shift + j));
    if (residual.data != nullptr) x = hn::Add(x, hn::LoadU(d, At(residual, row, i)));
    if (n.relu) x = hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    StoreOrStream(x, d, At(dst, row, i), stream);
  });
  if (stream) hwy::FlushStream();  // another thread may read it next
}

// ddst, or 0 where the ReLU cut dst off.
template <class D>
HWY_INLINE hn::Vec<D> Unmasked(D d, Rows<const float> ddst, Rows<const float> dst, std::int64_t row, std::int64_t i) {
  const auto x = hn::LoadU(d, At(ddst, row, i));
  return dst.data == nullptr ? x : hn::IfThenElseZero(hn::Gt(hn::LoadU(d, At(dst, row, i)), hn::Zero(d)), x);
}

void SumsOfGradient(PixelRows p, Rows<const float> src, Rows<const float> ddst, Rows<const float> dst,
                    const float* mean, float* sum_d, float* sum_dx) {
  SumPixels(
      p, sum_d, sum_dx,
      [&](auto d, std::int64_t row, std::int64_t i, std::int64_t) HWY_ATTR { return Unmasked(d, ddst, dst, row, i); },
      [&](auto d, std::int64_t row, std::int64_t i, std::int64_t j)
          HWY_ATTR { return hn::Sub(hn::LoadU(d, At(src, row, i)), hn::LoadU(d, mean + j)); });
}

void Gradient(PixelRows p, Rows<const float> src, Rows<const float> ddst, Rows<const float> dst, Rows<float> dsrc,
              Rows<float> dresidual, GradientRows g) {
  const bool stream = g.stream && AlignedVectors(p.bc, dsrc.data) && AlignedVectors(p.bc, dresidual.data);
  ForPixels(p, [&](auto d, std::int64_t row, std::int64_t i, std::int64_t j) HWY_ATTR {
    const auto gradient = Unmasked(d, ddst, dst, row, i);
    const auto x = hn::Sub(hn::LoadU(d, At(src, row, i)), hn::LoadU(d, g.mean + j));
    const auto rest = hn::MulAdd(x, hn::LoadU(d, g.slope + j), hn::LoadU(d, g.offset + j));
    StoreOrStream(hn::MulSub(gradient, hn::LoadU(d, g.scale + j), rest), d, At(dsrc, row, i), stream);
    if (dresidual.data != nullptr) StoreOrStream(gradient, d, At(dresidual, row, i), stream);
  });
  if (stream) hwy::FlushStream();
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brickwork {

HWY_EXPORT(StatisticsOfRows);
HWY_EXPORT(Normalise);
HWY_EXPORT(SumsOfGradient);
HWY_EXPORT(Gradient);

void row_statistics(const PixelRows& p, Rows<const float> src, const RowStatistics& s) {
  BRICKWORK_CHOSEN(StatisticsOfRows);
  chosen(p, src, s);
}

void normalise_rows(const PixelRows& p, Rows<const float> src, Rows<const float> residual, Rows<float> dst,
                    const NormaliseRows& n) {
  BRICKWORK_CHOSEN(Normalise);
  chosen(p, src, residual, dst, n);
}

void gradient_sums(const PixelRows& p, Rows<const float> src, Rows<const float> ddst, Rows<const float> dst,
                   const float* mean, float* sum_d, float* sum_dx) {
  BRICKWORK_CHOSEN(SumsOfGradient);
  chosen(p, src, ddst, dst, mean, sum_d, sum_dx);
}

void gradient_rows(const PixelRows& p, Rows<const float> src, Rows<const float> ddst, Rows<const float> dst,
                   Rows<float> dsrc, Rows<float> dresidual, const GradientRows& g) {
  BRICKWORK_CHOSEN(Gradient);
  chosen(p, src, ddst, dst, dsrc, dresidual, g);
}

}  // namespace brickwork
#endif
