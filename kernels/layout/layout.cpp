#include "kernels/layout/layout.hpp"

#include <algorithm>

#include "kernels/base/floats.hpp"

namespace brickwork {
namespace {

// Transposes go in strips of this many floats: one cache line of the plain tensor, while the blocked side of the strip
// stays in L1.
constexpr std::int64_t kStrip = kFloatsOfLine;

std::int64_t features_in_block(std::int64_t features, std::int64_t block, std::int64_t width) {
  return std::min(width, features - block * width);
}

struct PlainStrides {
  std::int64_t n, c, h, w;
};
PlainStrides nchw_of(const ActivationLayout& l) { return {l.C * l.H * l.W, l.H * l.W, l.W, 1}; }
PlainStrides nhwc_of(const ActivationLayout& l) { return {l.H * l.W * l.C, 1, l.W * l.C, l.C}; }

// Calls visit(index in the plain tensor, index in the blocked one) for the elements of one row of a slice.
template <class Visit>
void for_each_element(const ActivationLayout& l, const PlainStrides& plain, std::int64_t n, std::int64_t cb,
                      std::int64_t h, const Visit& visit) {
  const std::int64_t features = features_in_block(l.C, cb, l.bc);
  const std::int64_t row = n * plain.n + cb * l.bc * plain.c + h * plain.h, pixels = l.pixel(n, cb, h, 0);
  for (std::int64_t w0 = 0; w0 < l.W; w0 += kStrip) {
    const std::int64_t w1 = std::min(w0 + kStrip, l.W);
    if (plain.c == 1) {
      for (std::int64_t w = w0; w < w1; ++w)
        for (std::int64_t c = 0; c < features; ++c) visit(row + w * plain.w + c, pixels + w * l.bc + c);
    } else {
      for (std::int64_t c = 0; c < features; ++c)
        for (std::int64_t w = w0; w < w1; ++w) visit(row + c * plain.c + w * plain.w, pixels + w * l.bc + c);
    }
  }
}

void pack_slice(const ActivationLayout& l, const PlainStrides& strides, std::int64_t n, std::int64_t cb,
                const float* plain, float* blocked) {
  for (std::int64_t h = -l.pad_h; h < l.H + l.pad_h; ++h) {
    const bool inside = h >= 0 && h < l.H;
    if (!inside || l.pad_w > 0 || features_in_block(l.C, cb, l.bc) < l.bc) {
      std::fill_n(blocked + l.pixel(n, cb, h, -l.pad_w), l.Wp() * l.bc, 0.0f);
    }
    if (!inside) continue;
    for_each_element(l, strides, n, cb, h, [=](std::int64_t from, std::int64_t to) { blocked[to] = plain[from]; });
  }
}

void unpack_slice(const ActivationLayout& l, const PlainStrides& strides, std::int64_t n, std::int64_t cb,
                  const float* blocked, float* plain) {
  for (std::int64_t h = 0; h < l.H; ++h) {
    for_each_element(l, strides, n, cb, h, [=](std::int64_t to, std::int64_t from) { plain[to] = blocked[from]; });
  }
}

// Calls visit(index in the plain weights, index in the blocked ones) for the elements of one block.
template <class Visit>
void for_each_weight(const WeightLayout& l, std::int64_t kb, std::int64_t cb, const Visit& visit) {
  const std::int64_t ks = features_in_block(l.K, kb, l.bk), cs = features_in_block(l.C, cb, l.bc);
  const std::int64_t taps = l.R * l.S, plain = (kb * l.bk * l.C + cb * l.bc) * taps, blocked = l.tap(kb, cb, 0, 0);
  for (std::int64_t k0 = 0; k0 < ks; k0 += kStrip) {
    const std::int64_t k1 = std::min(k0 + kStrip, ks);
    for (std::int64_t c = 0; c < cs; ++c)
      for (std::int64_t rs = 0; rs < taps; ++rs)
        for (std::int64_t k = k0; k < k1; ++k)
          visit(plain + (k * l.C + c) * taps + rs, blocked + (rs * l.bc + c) * l.bk + k);
  }
}

}  // namespace

void pack_nchw_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* nchw, float* blocked) {
  pack_slice(l, nchw_of(l), n, cb, nchw, blocked);
}
void pack_nhwc_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* nhwc, float* blocked) {
  pack_slice(l, nhwc_of(l), n, cb, nhwc, blocked);
}
void unpack_nchw_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* blocked, float* nchw) {
  unpack_slice(l, nchw_of(l), n, cb, blocked, nchw);
}
void unpack_nhwc_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* blocked, float* nhwc) {
  unpack_slice(l, nhwc_of(l), n, cb, blocked, nhwc);
}

void pack_kcrs_block(const WeightLayout& l, std::int64_t kb, std::int64_t cb, const float* kcrs, float* blocked) {
  const bool whole = (kb + 1) * l.bk <= l.K && (cb + 1) * l.bc <= l.C;
  if (!whole) std::fill_n(blocked + l.tap(kb, cb, 0, 0), l.block_size(), 0.0f);
  for_each_weight(l, kb, cb, [=](std::int64_t from, std::int64_t to) { blocked[to] = kcrs[from]; });
}

void unpack_kcrs_block(const WeightLayout& l, std::int64_t kb, std::int64_t cb, const float* blocked, float* kcrs) {
  for_each_weight(l, kb, cb, [=](std::int64_t to, std::int64_t from) { kcrs[to] = blocked[from]; });
}

}  // namespace brickwork
