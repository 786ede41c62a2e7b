// Loops, loads and stores over vectors of floats, for one instruction set (Highway's foreach_target).
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

// Defines `chosen` as the function for this machine. The static keeps it: Highway's own dispatch looks at the machine's
// targets in every call.
#undef BRICKWORK_CHOSEN
#define BRICKWORK_CHOSEN(function)                          \
  static const auto chosen = [] {                           \
    hwy::GetChosenTarget().Update(hwy::SupportedTargets()); \
    return &HWY_DYNAMIC_DISPATCH(function);                 \
  }()

// Attribute for a lambda that works on one vector, in place of HWY_ATTR: GCC calls larger lambdas once per vector and
// passes their captures through memory. Pooling a pixel took twice as long.
#undef BRICKWORK_INLINE_ATTR
#define BRICKWORK_INLINE_ATTR __attribute__((always_inline)) HWY_ATTR

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(d, i) for whole vectors of [i, count), then for the rest with vectors a quarter as long, down to one lane.
// A tail thus needs no masked access, which some targets emulate by touching the whole vector. (Halving instead of
// quartering made two more copies of every body, a fifth of the compile time.)
template <class D, class Index, class Body>
HWY_INLINE void ForEachVector(D d, Index i, Index count, const Body& body) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) body(d, i);
  if constexpr (hn::MaxLanes(D()) > 1) {
    using Shorter = hn::CappedTag<hn::TFromD<D>, std::max<std::size_t>(1, hn::MaxLanes(D()) / 4)>;
    if (i < count) ForEachVector(Shorter(), i, count, body);
  }
}

// Calls of(d, kVectors, j) for the channels of a pixel: kVectors neighbouring vectors from channel j on. Several
// vectors hide each other's latency, and the lines of a pixel are read in order. The last call may overlap the one
// before; those channels are then computed twice.
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

// Whether pixels from this one on can be stored past the caches, which needs aligned vectors.
HWY_INLINE bool AlignedVectors(std::int64_t bc, const void* pixels) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  return static_cast<std::size_t>(bc) % lanes == 0 &&
         reinterpret_cast<std::uintptr_t>(pixels) % (lanes * sizeof(float)) == 0;
}

// Calls body(std::true_type or std::false_type): decides outside the loops what no iteration changes.
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

// Prefetches a line that is read much later, if the sweep expects it outside the caches.
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
