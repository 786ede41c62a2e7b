#include "primitives/batch_norm/batch_norm_rows.hpp"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "primitives/batch_norm/batch_norm_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.
#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arguments are passed by value, also those of loop bodies. With references, a stored vector might have changed them,
// and the compiler would load all of them again for the next one.

struct Row {
  std::int64_t image, row;
};

// Channel j of a pixel: `i` is its place in the row, `byte` that of its bit in the mask's row.
struct Place {
  Row row;
  std::int64_t j, i, byte;
};

template <class T>
HWY_INLINE T* Begin(Rows<T> rows, Place at) {
  return rows.data + at.row.image * rows.next_image + at.row.row * rows.next;
}

// The place of a pixel's vector that is `vectors` vectors after channel j.
template <class D>
HWY_INLINE Place PlaceOf(D d, PixelRows p, Row row, std::int64_t pixel, std::int64_t j, std::int64_t vectors) {
  const std::int64_t on = vectors * static_cast<std::int64_t>(hn::Lanes(d));
  return {row, j + on, pixel * p.bc + j + on, pixel * mask_bytes_of_pixel(p.bc) + j / 8 + on / 8};
}

// A sweep. At compile time it is known whether it passes the caches, but not into which cache it prefetches.
template <bool kPastCaches>
struct SweepOf {
  Sweep sweep;
  constexpr operator bool() const { return kPastCaches; }
};

// Prefetches one page ahead, which the hardware does not: ResNet-50's first two layers take 7 to 14 % less time forward
// and 13 to 20 % less backward. Tensors in the caches would take 10 % more (Zen 5).
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

// Vectors of fewer than 8 lanes share a byte.
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

// Joins the rows of an image into one if no tensor has anything between them.
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

template <class Body>
HWY_INLINE void DecidedSweep(Sweep sweep, const Body& body) {
  Decided(past_caches(sweep), [&](auto far) BRICKWORK_INLINE_ATTR { body(SweepOf<decltype(far)::value>{sweep}); });
}

// of(d, kVectors, j) for four vectors of channels at a time, from channel j on, and then for the remaining ones singly.
template <class Of>
HWY_INLINE void ForFourVectors(std::int64_t bc, const Of& of) {
  const hn::ScalableTag<float> d;
  const auto four = 4 * static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + four <= bc; j += four) of(d, std::integral_constant<int, 4>(), j);
  ForEachVector(d, j, bc, [&](auto shorter, std::int64_t i) BRICKWORK_INLINE_ATTR {
    of(shorter, std::integral_constant<int, 1>(), i);
  });
}

template <class D, int kVectors>
struct Vectors {
  hn::Vec<D> of[kVectors];

  HWY_INLINE Vectors(D d, const float* from) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) of[v] = hn::LoadU(d, from + v * hn::Lanes(d));
  }
};

// body(d, place, its channels' terms...) for the vectors of all pixels; each of `terms` has bc floats. Takes a few
// pixels at a time, and of them four vectors of channels: so many terms stay in registers, and the tensors are still
// read in order except within these pixels.
template <class Body, class... Terms>
HWY_INLINE void ForPixels(PixelRows p, Body body, Terms... terms) {
  constexpr std::int64_t kPixels = 16;
  ForRows(p, [&](Row row) BRICKWORK_INLINE_ATTR {
    for (std::int64_t first = 0; first < p.pixels; first += kPixels) {
      const std::int64_t end = std::min(first + kPixels, p.pixels);
      ForFourVectors(p.bc, [=](auto d, auto vectors, std::int64_t j) BRICKWORK_INLINE_ATTR {
        constexpr int kVectors = decltype(vectors)::value;
        const auto of_pixels = [=](auto... loaded) BRICKWORK_INLINE_ATTR {
          for (std::int64_t pixel = first; pixel < end; ++pixel) {
#pragma GCC unroll 4
            for (int v = 0; v < kVectors; ++v) body(d, PlaceOf(d, p, row, pixel, j, v), loaded.of[v]...);
          }
        };
        of_pixels(Vectors<decltype(d), kVectors>(d, terms + j)...);
      });
    }
  });
}

// sum[j] = the sum of a(d, place) over all pixels, sum_ab[j] that of a * b. Four sums run at once, as the loop would
// wait for a single one: those of four vectors of channels, or four of one vector, with every fourth pixel each.
template <class A, class B>
HWY_INLINE void SumPixels(PixelRows p, float* sum, float* sum_ab, A a, B b) {
  ForFourVectors(p.bc, [=](auto d, auto vectors, std::int64_t j) BRICKWORK_INLINE_ATTR {
    constexpr int kSums = 4, kVectors = decltype(vectors)::value, kPixels = kSums / kVectors;
    using V = hn::Vec<decltype(d)>;
    V s[kSums], ab[kSums];
#pragma GCC unroll 4
    for (int i = 0; i < kSums; ++i) s[i] = ab[i] = hn::Zero(d);
    ForRows(p, [&](Row row) BRICKWORK_INLINE_ATTR {
      const auto add = [&](std::int64_t pixel, int vector, int i) BRICKWORK_INLINE_ATTR {
        const Place at = PlaceOf(d, p, row, pixel, j, vector);
        const V x = a(d, at);
        s[i] = hn::Add(s[i], x);
        ab[i] = hn::MulAdd(x, b(d, at), ab[i]);
      };
      std::int64_t pixel = 0;
      for (; pixel + kPixels <= p.pixels; pixel += kPixels) {
#pragma GCC unroll 4
        for (int i = 0; i < kSums; ++i) add(pixel + i / kVectors, i % kVectors, i);
      }
      if constexpr (kVectors == 1) {
        for (; pixel < p.pixels; ++pixel) add(pixel, 0, 0);
      }
    });
    const auto store = [&](const V* of, float* to) BRICKWORK_INLINE_ATTR {
      if constexpr (kVectors == 1) {
        hn::StoreU(hn::Add(hn::Add(of[0], of[1]), hn::Add(of[2], of[3])), d, to + j);
      } else {
#pragma GCC unroll 4
        for (int i = 0; i < kSums; ++i) hn::StoreU(of[i], d, to + j + i * hn::Lanes(d));
      }
    };
    store(s, sum);
    store(ab, sum_ab);
  });
}

// x / kOffUnit - mean, rounded once, as the unit is a power of two.
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
  DecidedSweep(p.sweep, [&](auto far) HWY_ATTR {
    const auto off = [=](auto d, Place at)
                         HWY_ATTR { return Off(d, Load(d, src, at, far), hn::LoadU(d, s.about + at.j)); };
    SumPixels(p, s.deviation, s.square, off, off);
  });
}

void Normalise(PixelRows p, Rows<const float> src, Rows<const float> residual, Rows<float> dst, Rows<std::uint8_t> mask,
               NormaliseRows n) {
  p = Joined(p, src, residual, dst);
  DecidedSweep(AlignedVectors(p.bc, dst.data) ? p.sweep : Sweep::cached, [&](auto far) HWY_ATTR {
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

// ddst, or 0 if the ReLU cut dst off.
template <class D, class Masked, class Far>
HWY_INLINE hn::Vec<D> Unmasked(D d, Rows<const float> ddst, Masked masked, MaskRows mask, Place at, Far far) {
  const auto x = Load(d, ddst, at, far);
  return masked ? hn::IfThenElseZero(LoadBits(d, mask, at), x) : x;
}

void SumsOfGradient(PixelRows p, Rows<const float> src, Rows<const float> ddst, MaskRows mask, const float* mean,
                    float* sum_d, float* sum_dx) {
  p = Joined(p, src, ddst);
  DecidedSweep(p.sweep, [&](auto far) HWY_ATTR {
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
  DecidedSweep(aligned ? p.sweep : Sweep::cached, [&](auto far) HWY_ATTR {
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
