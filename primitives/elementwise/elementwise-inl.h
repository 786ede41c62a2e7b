// Loops over vectors of floats, for one instruction set (Highway's foreach_target).
#if defined(BRICKWORK_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRICKWORK_ELEMENTWISE_INL_H_
#undef BRICKWORK_ELEMENTWISE_INL_H_
#else
#define BRICKWORK_ELEMENTWISE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/base/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brickwork::HWY_NAMESPACE {

// Stores vectors, past the caches if wanted and if the outputs are aligned; unaligned vectors cannot go past them.
class Stores {
 public:
  template <class... Output>
  explicit Stores(bool past_caches, Output*... outputs)
      : past_caches_(past_caches && (... && (reinterpret_cast<std::uintptr_t>(outputs) % HWY_MAX_BYTES == 0))) {}

  // body(d, i, put) for all vectors; put(v, d, p) stores one.
  template <class Body>
  HWY_INLINE void ForEach(std::size_t count, const Body& body) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<float> d;
    Decided(past_caches_, [&](auto past_caches) HWY_ATTR {
      const auto put = [](auto v, auto to, float* p) HWY_ATTR {
        constexpr bool kWhole = hn::MaxLanes(decltype(to)()) == hn::MaxLanes(hn::ScalableTag<float>());
        StoreOrStream(v, to, p, std::bool_constant<kWhole&& decltype(past_caches)::value>());
      };
      ForEachVector(d, std::size_t{0}, count, [&](auto in, std::size_t i) HWY_ATTR { body(in, i, put); });
    });
  }

 private:
  bool past_caches_;
};

}  // namespace brickwork::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
