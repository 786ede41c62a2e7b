// What loops over vectors of floats share, for one instruction set (Highway's foreach_target).
#if defined(BRICKWORK_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_VECTORS_INL_H_
#undef BRICKWORK_VECTORS_INL_H_
#else
#define BRICKWORK_VECTORS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/layout/sweep.hpp"

// `chosen` becomes the function for this machine. Once: Highway's own dispatch would look at the machine's targets
// again in every call.
#undef BRICKWORK_CHOSEN
#define BRICKWORK_CHOSEN(function)                          \
  static const auto chosen = [] {                           \
    hwy::GetChosenTarget().Update(hwy::SupportedTargets()); \
    return &HWY_DYNAMIC_DISPATCH(function);                 \
  }()

// Of a lambda that does a vector's work, in place of HWY_ATTR: GCC calls larger ones, once for each vector, and hands
// over what they capture through memory. A pixel of a pooling took twice as long.
#undef BRICKWORK_INLINE_ATTR
#define BRICKWORK_INLINE_ATTR __attribute__((always_inline)) HWY_ATTR

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// body(d, i) for the vectors that begin at i of [i, count), as far as whole ones of D go; the rest by vectors a quarter
// as long, down to one lane. So a tail needs no masked access, which some targets emulate by touching the whole vector.
// (Halves were two more copies of every body, a fifth of the compiler's time.)
template <class D, class Index, class Body>
HWY_INLINE void ForEachVector(D d, Index i, Index count, const Body& body) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) body(d, i);
  if constexpr (hn::MaxLanes(D()) > 1) {
    using Shorter = hn::CappedTag<hn::TFromD<D>, std::max<std::size_t>(1, hn::MaxLanes(D()) / 4)>;
    if (i < count) ForEachVector(Shorter(), i, count, body);
  }
}

// of(d, kVectors, j) for the channels of a pixel, j and on: kVectors vectors side by side, as each of them may have to
// wait, and a pixel's lines are best met in their order. Some may meet those before, whose channels are then done
// twice.
template <class Of>
HWY_INLINE void ForEachVectors(std::int64_t bc, const Of& of) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + 4 * lanes <= bc; j += 4 * lanes) of(d, std::integral_constant<int, 4>(), j);
  if (bc >= 2 * lanes) {
    for (; j < bc; j += 2 * lanes) of(d, std::integral_constant<int, 2>(), std::min(j, bc - 2 * lanes));
  } else {
    ForEachVector(d, j, bc, [&](auto shorter, std::int64_t i) BRICKWORK_INLINE_ATTR {
      of(shorter, std::integral_constant<int, 1>(), i);
    });
  }
}

// Whether pixels from here on may be stored past the caches, which takes aligned vectors.
HWY_INLINE bool AlignedVectors(std::int64_t bc, const void* pixels) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  return static_cast<std::size_t>(bc) % lanes == 0 &&
         reinterpret_cast<std::uintptr_t>(pixels) % (lanes * sizeof(float)) == 0;
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

template <class D>
HWY_INLINE void StoreOrStream(hn::Vec<D> x, D d, float* to, bool stream) {
  if (stream) {
    hn::Stream(x, d, to);
  } else {
    hn::StoreU(x, d, to);
  }
}

// For a line that is read much later, where the sweep does not find it in the caches.
HWY_INLINE void AskAhead(const float* line, Sweep sweep) {
  constexpr int kToRead = 0, kIntoL2 = 2;  // Highway has L1 alone
  if (sweep == Sweep::stream_l2) {
    __builtin_prefetch(line, kToRead, kIntoL2);
  } else if (sweep == Sweep::stream) {
    hwy::Prefetch(line);
  }
}

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
