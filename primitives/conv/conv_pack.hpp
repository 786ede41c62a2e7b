// Converts whole tensors between plain and blocked layouts, on the host's threads.
#pragma once
#include <Kokkos_Core.hpp>

#include "kernels/layout/layout.hpp"

namespace brickwork {

// Calls slice(i, j) for every i < outer and j < inner, in parallel.
template <class Slice>
void for_each_slice(std::int64_t outer, std::int64_t inner, const Slice& slice) {
  Kokkos::parallel_for("brickwork::pack", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, outer * inner),
                       [&](std::int64_t i) { slice(i / inner, i % inner); });
}

inline void pack_nchw(const ActivationLayout& l, const float* nchw, float* blocked) {
  for_each_slice(l.N, l.Cb(), [&](auto n, auto cb) { pack_nchw_slice(l, n, cb, nchw, blocked); });
}
inline void pack_nhwc(const ActivationLayout& l, const float* nhwc, float* blocked) {
  for_each_slice(l.N, l.Cb(), [&](auto n, auto cb) { pack_nhwc_slice(l, n, cb, nhwc, blocked); });
}
inline void unpack_nchw(const ActivationLayout& l, const float* blocked, float* nchw) {
  for_each_slice(l.N, l.Cb(), [&](auto n, auto cb) { unpack_nchw_slice(l, n, cb, blocked, nchw); });
}
inline void unpack_nhwc(const ActivationLayout& l, const float* blocked, float* nhwc) {
  for_each_slice(l.N, l.Cb(), [&](auto n, auto cb) { unpack_nhwc_slice(l, n, cb, blocked, nhwc); });
}
inline void pack_kcrs(const WeightLayout& l, const float* kcrs, float* blocked) {
  for_each_slice(l.Kb(), l.Cb(), [&](auto kb, auto cb) { pack_kcrs_block(l, kb, cb, kcrs, blocked); });
}
inline void unpack_kcrs(const WeightLayout& l, const float* blocked, float* kcrs) {
  for_each_slice(l.Kb(), l.Cb(), [&](auto kb, auto cb) { unpack_kcrs_block(l, kb, cb, blocked, kcrs); });
}

}  // namespace brickwork
