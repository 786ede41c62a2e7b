#include "batch_norm/batch_norm_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "batch_norm/batch_norm_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arguments come by value, and so do those of the bodies of loops: a vector that is stored might else have changed
// them, and all were loaded again for the next.

struct Row {
  std::int64_t image, row;
};

// Channel j of a pixel: i is where in its row it is, byte where its bit is in that of the mask.
struct Place {
  Row row;
  std::int64_t j, i, byte;
};

template <class T>
HWY_INLINE T* Begin(Rows<T> rows, Place at) {
  return rows.data + at.row.image * rows.next_image + at.row.row * rows.next;
}

// Of the vectors that begin at channel j and go on from there, the one so many vectors on.
template <class D>
HWY_INLINE Place PlaceOf(D d, PixelRows p, Row row, std::int64_t pixel, std::int64_t j, std::int64_t vectors) {
  const std::int64_t on = vectors * static_cast<std::int64_t>(hn::Lanes(d));
  return {row, j + on, pixel * p.bc + j + on, pixel * mask_bytes_of_pixel(p.bc) + j / 8 + on / 8};
}

// A sweep of which code knows whether it passes the caches, and not whither it asks.
template <bool kPastCaches>
struct SweepOf {
  Sweep sweep;
  constexpr operator bool() const { return kPastCaches; }
};

// A page is what the hardware does not ask ahead for: 7 to 14 % of ResNet-50's first two layers forward, 13 to 20 %
// backward; tensors in the caches lose 10 % (Zen 5).
template <class D, bool kFar>
HWY_INLINE hn::Vec<D> Load(D d, Rows<const float> rows, Place at, SweepOf<kFar> sweep) {
  constexpr std::int64_t kPage = 4096 / sizeof(float);
  const float* const from = Begin(rows, at) + at.i;
  if constexpr (kFar) AskAhead(from + kPage, sweep.sweep);
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE void Store(hn::Vec<D> x, D d, Rows<float> rows, Place at, bool stream) {
  StoreOrStream(x, d, Begin(rows, at) + at.i, stream);
}

// Vectors shorter than a byte of bits share one.
template <class D>
HWY_INLINE void StoreBits(hn::Mask<D> bits, D d, Rows<std::uint8_t> mask, Place at) {
  std::uint8_t* const byte = Begin(mask, at) + at.byte;
  if (hn::Lanes(d) >= 8) {
    hn::StoreMaskBits(d, bits, byte);
    return;
  }
  std::uint8_t few[8] = {};
  hn::StoreMaskBits(d, bits, few);
  const int first = static_cast<int>(at.j % 8);
  *byte = static_cast<std::uint8_t>((first == 0 ? 0 : *byte) | few[0] << first);
}

template <class D>
HWY_INLINE hn::Mask<D> LoadBits(D d, MaskRows mask, Place at) {
  const std::uint8_t* const byte = Begin(mask, at) + at.byte;
  if (hn::Lanes(d) >= 8) return hn::LoadMaskBits(d, byte);
  const std::uint8_t few[8] = {static_cast<std::uint8_t>(*byte >> (at.j % 8))};
  return hn::LoadMaskBits(d, few);
}

// Rows of an image with nothing between them, in no tensor, are one row.
template <class... T>
HWY_INLINE PixelRows Joined(PixelRows p, Rows<T>... tensors) {
  const bool dense = (... && (tensors.data == nullptr || tensors.next == p.pixels * p.bc));
  return dense ? PixelRows{p.images, 1, p.rows * p.pixels, p.bc, p.sweep} : p;
}

template <class Body>
HWY_INLINE void ForRows(PixelRows p, const Body& body) {
  for (std::int64_t image = 0; image < p.images; ++image)
    for (std::int64_t row = 0; row < p.rows; ++row) body(Row{image, row});
}

// body(std::true_type or std::false_type): what no iteration changes is decided outside the loops.
template <class Body>
HWY_INLINE void Decided(bool flag, const Body& body) {
  if (flag) {
    body(std::true_type());
  } else {
    body(std::false_type());
  }
}

template <class Body>
HWY_INLINE void Decided(Sweep sweep, const Body& body) {
  if (past_caches(sweep)) {
    body(SweepOf<true>{sweep});
  } else {
    body(SweepOf<false>{sweep});
  }
}

// body(d, place, its channels' terms ...) for the vectors of all pixels, where terms are bc floats each. Of a few
// pixels four vectors of channels at a time: so many terms stay in registers, and the tensors are gone over in their
// order but for the vectors of those pixels.
template <class Body, class... Terms>
HWY_INLINE void ForPixels(PixelRows p, Body body, Terms... terms) {
  constexpr std::int64_t kPixels = 16;
  const hn::ScalableTag<float> full;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(full));
  ForRows(p, [&](Row row) HWY_ATTR {
    for (std::int64_t first = 0; first < p.pixels; first += kPixels) {
      const std::int64_t end = std::min(first + kPixels, p.pixels);
      const auto with_terms = [=](auto d, std::int64_t j, const auto& use)
                                  HWY_ATTR { use(hn::LoadU(d, terms + j)...); };
      std::int64_t j = 0;
      for (; j + 4 * lanes <= p.bc; j += 4 * lanes) {
        with_terms(full, j, [&](auto... of0) HWY_ATTR {
          with_terms(full, j + lanes, [&](auto... of1) HWY_ATTR {
            with_terms(full, j + 2 * lanes, [&](auto... of2) HWY_ATTR {
              with_terms(full, j + 3 * lanes, [&](auto... of3) HWY_ATTR {
                for (std::int64_t pixel = first; pixel < end; ++pixel) {
                  body(full, PlaceOf(full, p, row, pixel, j, 0), of0...);
                  body(full, PlaceOf(full, p, row, pixel, j, 1), of1...);
                  body(full, PlaceOf(full, p, row, pixel, j, 2), of2...);
                  body(full, PlaceOf(full, p, row, pixel, j, 3), of3...);
                }
              });
            });
          });
        });
      }
      ForEachVector(full, j, p.bc, [&](auto d, std::int64_t of) HWY_ATTR {
        with_terms(d, of, [&](auto... values) HWY_ATTR {
          for (std::int64_t pixel = first; pixel < end; ++pixel) {
            body(d, PlaceOf(d, p, row, pixel, of, 0), values...);
          }
        });
      });
    }
  });
}

// The sums of SumPixels for four vectors of channels from j on, or for one, whose every fourth pixel is a sum of its
// own: four sums at once, as one alone is what the loop would wait for.
template <bool kFourVectors, class D, class A, class B>
HWY_INLINE void SumChannels(D d, PixelRows p, std::int64_t j, float* sum, float* sum_ab, A a, B b) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, ab0 = s0, ab1 = s0, ab2 = s0, ab3 = s0;
  ForRows(p, [&](Row row) HWY_ATTR {
    const auto add = [&](std::int64_t pixel, std::int64_t vectors, auto& s, auto& ab) HWY_ATTR {
      const Place at = PlaceOf(d, p, row, pixel, j, vectors);
      const auto x = a(d, at);
      s = hn::Add(s, x);
      ab = hn::MulAdd(x, b(d, at), ab);
    };
    std::int64_t pixel = 0;
    if constexpr (kFourVectors) {
      for (; pixel < p.pixels; ++pixel) {
        add(pixel, 0, s0, ab0);
        add(pixel, 1, s1, ab1);
        add(pixel, 2, s2, ab2);
        add(pixel, 3, s3, ab3);
      }
    } else {
      for (; pixel + 4 <= p.pixels; pixel += 4) {
        add(pixel, 0, s0, ab0);
        add(pixel + 1, 0, s1, ab1);
        add(pixel + 2, 0, s2, ab2);
        add(pixel + 3, 0, s3, ab3);
      }
      for (; pixel < p.pixels; ++pixel) add(pixel, 0, s0, ab0);
    }
  });
  const auto store = [&](float* to, auto v0, auto v1, auto v2, auto v3) HWY_ATTR {
    if constexpr (kFourVectors) {
      hn::StoreU(v0, d, to + j);
      hn::StoreU(v1, d, to + j + lanes);
      hn::StoreU(v2, d, to + j + 2 * lanes);
      hn::StoreU(v3, d, to + j + 3 * lanes);
    } else {
      hn::StoreU(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), d, to + j);
    }
  };
  store(sum, s0, s1, s2, s3);
  store(sum_ab, ab0, ab1, ab2, ab3);
}

// sum[j] = the sum of a(d, place) over all pixels, sum_ab[j] that of a * b.
template <class A, class B>
HWY_INLINE void SumPixels(PixelRows p, float* sum, float* sum_ab, A a, B b) {
  const hn::ScalableTag<float> d;
  const auto four = 4 * static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t first = 0;
  for (; first + four <= p.bc; first += four) SumChannels<true>(d, p, first, sum, sum_ab, a, b);
  ForEachVector(d, first, p.bc,
                [&](auto of, std::int64_t j) HWY_ATTR { SumChannels<false>(of, p, j, sum, sum_ab, a, b); });
}

// x / kOffUnit - mean, rounded once: the unit is a power of two.
template <class D>
HWY_INLINE hn::Vec<D> Off(D d, hn::Vec<D> x, hn::Vec<D> mean) {
  return hn::MulSub(x, hn::Set(d, static_cast<float>(1 / kOffUnit)), mean);
}

void StatisticsOfRows(PixelRows p, Rows<const float> src, RowStatistics s) {
  p = Joined(p, src);
  const auto off_first = [=](auto d, Place at) HWY_ATTR {
    return hn::Sub(Load(d, src, at, SweepOf<false>{}), hn::LoadU(d, src.data + at.j));
  };
  const PixelRows first{1, 1, std::min<std::int64_t>(p.pixels, 8), p.bc};
  SumPixels(first, s.about, s.square, off_first, off_first);
  const float share = 1 / static_cast<float>(first.pixels);
  ForEachVector(hn::ScalableTag<float>(), std::int64_t{0}, p.bc, [=](auto d, std::int64_t j) HWY_ATTR {
    const auto about = hn::MulAdd(hn::LoadU(d, s.about + j), hn::Set(d, share), hn::LoadU(d, src.data + j));
    const auto unit = hn::Set(d, static_cast<float>(1 / kOffUnit));
    hn::StoreU(hn::IfThenElseZero(hn::IsFinite(about), hn::Mul(about, unit)), d, s.about + j);
  });
  Decided(p.sweep, [&](auto far) HWY_ATTR {
    const auto off = [=](auto d, Place at)
                         HWY_ATTR { return Off(d, Load(d, src, at, far), hn::LoadU(d, s.about + at.j)); };
    SumPixels(p, s.deviation, s.square, off, off);
  });
}

void Normalise(PixelRows p, Rows<const float> src, Rows<const float> residual, Rows<float> dst, Rows<std::uint8_t> mask,
               NormaliseRows n) {
  p = Joined(p, src, residual, dst);
  Decided(AlignedVectors(p.bc, dst.data) ? p.sweep : Sweep::cached, [&](auto far) HWY_ATTR {
    Decided(n.relu, [&](auto relu) HWY_ATTR {
      const auto element = [=](auto d, Place at, auto mean, auto scale, auto shift) HWY_ATTR {
        auto x = hn::MulAdd(hn::Sub(Load(d, src, at, far), mean), scale, shift);
        if (residual.data != nullptr) x = hn::Add(x, Load(d, residual, at, far));
        if (relu && mask.data != nullptr) StoreBits(hn::Gt(x, hn::Zero(d)), d, mask, at);
        if (relu) x = hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
        Store(x, d, dst, at, far);
      };
      ForPixels(p, element, n.mean, n.scale, n.shift);
    });
  });
}

// ddst, or 0 where the ReLU cut dst off.
template <class D, class Masked, class Far>
HWY_INLINE hn::Vec<D> Unmasked(D d, Rows<const float> ddst, Masked masked, MaskRows mask, Place at, Far far) {
  const auto x = Load(d, ddst, at, far);
  return masked ? hn::IfThenElseZero(LoadBits(d, mask, at), x) : x;
}

void SumsOfGradient(PixelRows p, Rows<const float> src, Rows<const float> ddst, MaskRows mask, const float* mean,
                    float* sum_d, float* sum_dx) {
  p = Joined(p, src, ddst);
  Decided(p.sweep, [&](auto far) HWY_ATTR {
    Decided(mask.data != nullptr, [&](auto masked) HWY_ATTR {
      SumPixels(
          p, sum_d, sum_dx, [=](auto d, Place at) HWY_ATTR { return Unmasked(d, ddst, masked, mask, at, far); },
          [=](auto d, Place at) HWY_ATTR { return Off(d, Load(d, src, at, far), hn::LoadU(d, mean + at.j)); });
    });
  });
}

void Gradient(PixelRows p, Rows<const float> src, Rows<const float> ddst, MaskRows mask, Rows<float> dsrc,
              Rows<float> dresidual, GradientRows g) {
  p = Joined(p, src, ddst, dsrc, dresidual);
  const bool aligned = AlignedVectors(p.bc, dsrc.data) && AlignedVectors(p.bc, dresidual.data);
  Decided(aligned ? p.sweep : Sweep::cached, [&](auto far) HWY_ATTR {
    Decided(mask.data != nullptr, [&](auto masked) HWY_ATTR {
      const auto element = [=](auto d, Place at, auto mean, auto scale, auto slope, auto offset) HWY_ATTR {
        const auto gradient = Unmasked(d, ddst, masked, mask, at, far);
        const auto rest = hn::MulAdd(Off(d, Load(d, src, at, far), mean), slope, offset);
        Store(hn::Mul(hn::Sub(gradient, rest), scale), d, dsrc, at, far);
        if (dresidual.data != nullptr) Store(gradient, d, dresidual, at, far);
      };
      ForPixels(p, element, g.mean, g.scale, g.slope, g.offset);
    });
  });
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
                    Rows<std::uint8_t> mask, const NormaliseRows& n) {
  BRICKWORK_CHOSEN(Normalise);
  chosen(p, src, residual, dst, mask, n);
}

void gradient_sums(const PixelRows& p, Rows<const float> src, Rows<const float> ddst, MaskRows mask, const float* mean,
                   float* sum_d, float* sum_dx) {
  BRICKWORK_CHOSEN(SumsOfGradient);
  chosen(p, src, ddst, mask, mean, sum_d, sum_dx);
}

void gradient_rows(const PixelRows& p, Rows<const float> src, Rows<const float> ddst, MaskRows mask, Rows<float> dsrc,
                   Rows<float> dresidual, const GradientRows& g) {
  BRICKWORK_CHOSEN(Gradient);
  chosen(p, src, ddst, mask, dsrc, dresidual, g);
}

}  // namespace brickwork
#endif
