#include "layout.hpp"

#include <algorithm>

#include "floats.hpp"

namespace brickwork {
namespace {

// Transposes go in strips of this many floats: one cache line on the plain side, and the blocked side of a strip stays
// in L1.
constexpr std::int64_t kStrip = kFloatsOfLine;

std::int64_t features_in_block(std::int64_t features, std::int64_t block, std::int64_t width) {
  return std::min(width, features - block * width);
}

void zero_pixels(float* first, std::int64_t pixels, std::int64_t bc) { std::fill_n(first, pixels * bc, 0.0f); }

void zero_rows_around(const ActivationLayout& l, std::int64_t n, std::int64_t cb, float* blocked) {
  zero_pixels(blocked + l.pixel(n, cb, -l.pad_h, -l.pad_w), l.pad_h * l.Wp(), l.bc);
  zero_pixels(blocked + l.pixel(n, cb, l.H, -l.pad_w), l.pad_h * l.Wp(), l.bc);
}

}  // namespace

void pack_nchw_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* nchw, float* blocked) {
  const std::int64_t features = features_in_block(l.C, cb, l.bc);
  const std::int64_t plane = l.H * l.W;
  zero_rows_around(l, n, cb, blocked);
  for (std::int64_t h = 0; h < l.H; ++h) {
    const float* row = nchw + (n * l.C + cb * l.bc) * plane + h * l.W;  // [c: plane][w: 1]
    float* pixels = blocked + l.pixel(n, cb, h, 0);                     // [w: bc][c: 1]
    zero_pixels(pixels - l.pad_w * l.bc, l.pad_w, l.bc);
    for (std::int64_t w0 = 0; w0 < l.W; w0 += kStrip) {
      const std::int64_t w1 = std::min(w0 + kStrip, l.W);
      for (std::int64_t c = 0; c < features; ++c)
        for (std::int64_t w = w0; w < w1; ++w) pixels[w * l.bc + c] = row[c * plane + w];
      for (std::int64_t w = w0; w < w1; ++w) std::fill(pixels + w * l.bc + features, pixels + (w + 1) * l.bc, 0.0f);
    }
    zero_pixels(pixels + l.W * l.bc, l.pad_w, l.bc);
  }
}

void pack_nhwc_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* nhwc, float* blocked) {
  const std::int64_t features = features_in_block(l.C, cb, l.bc);
  zero_rows_around(l, n, cb, blocked);
  for (std::int64_t h = 0; h < l.H; ++h) {
    const float* row = nhwc + (n * l.H + h) * l.W * l.C + cb * l.bc;  // [w: C][c: 1]
    float* pixels = blocked + l.pixel(n, cb, h, 0);                   // [w: bc][c: 1]
    zero_pixels(pixels - l.pad_w * l.bc, l.pad_w, l.bc);
    for (std::int64_t w = 0; w < l.W; ++w) {
      float* padding = std::copy_n(row + w * l.C, features, pixels + w * l.bc);
      std::fill_n(padding, l.bc - features, 0.0f);
    }
    zero_pixels(pixels + l.W * l.bc, l.pad_w, l.bc);
  }
}

void unpack_nchw_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* blocked, float* nchw) {
  const std::int64_t features = features_in_block(l.C, cb, l.bc);
  const std::int64_t plane = l.H * l.W;
  for (std::int64_t h = 0; h < l.H; ++h) {
    const float* pixels = blocked + l.pixel(n, cb, h, 0);         // [w: bc][c: 1]
    float* row = nchw + (n * l.C + cb * l.bc) * plane + h * l.W;  // [c: plane][w: 1]
    for (std::int64_t w0 = 0; w0 < l.W; w0 += kStrip) {
      const std::int64_t w1 = std::min(w0 + kStrip, l.W);
      for (std::int64_t c = 0; c < features; ++c)
        for (std::int64_t w = w0; w < w1; ++w) row[c * plane + w] = pixels[w * l.bc + c];
    }
  }
}

void unpack_nhwc_slice(const ActivationLayout& l, std::int64_t n, std::int64_t cb, const float* blocked, float* nhwc) {
  const std::int64_t features = features_in_block(l.C, cb, l.bc);
  for (std::int64_t h = 0; h < l.H; ++h) {
    const float* pixels = blocked + l.pixel(n, cb, h, 0);       // [w: bc][c: 1]
    float* row = nhwc + (n * l.H + h) * l.W * l.C + cb * l.bc;  // [w: C][c: 1]
    for (std::int64_t w = 0; w < l.W; ++w) std::copy_n(pixels + w * l.bc, features, row + w * l.C);
  }
}

void pack_kcrs_block(const WeightLayout& l, std::int64_t kb, std::int64_t cb, const float* kcrs, float* blocked) {
  const std::int64_t ks = features_in_block(l.K, kb, l.bk), cs = features_in_block(l.C, cb, l.bc);
  const std::int64_t taps = l.R * l.S;
  const float* from = kcrs + (kb * l.bk * l.C + cb * l.bc) * taps;  // [k: C * taps][c: taps][rs: 1]
  float* to = blocked + l.tap(kb, cb, 0, 0);                        // [rs: bc * bk][c: bk][k: 1]
  if (ks < l.bk || cs < l.bc) std::fill_n(to, l.block_size(), 0.0f);
  for (std::int64_t k0 = 0; k0 < ks; k0 += kStrip) {
    const std::int64_t k1 = std::min(k0 + kStrip, ks);
    for (std::int64_t c = 0; c < cs; ++c)
      for (std::int64_t rs = 0; rs < taps; ++rs)
        for (std::int64_t k = k0; k < k1; ++k) to[(rs * l.bc + c) * l.bk + k] = from[(k * l.C + c) * taps + rs];
  }
}

void unpack_kcrs_block(const WeightLayout& l, std::int64_t kb, std::int64_t cb, const float* blocked, float* kcrs) {
  const std::int64_t ks = features_in_block(l.K, kb, l.bk), cs = features_in_block(l.C, cb, l.bc);
  const std::int64_t taps = l.R * l.S;
  const float* from = blocked + l.tap(kb, cb, 0, 0);        // [rs: bc * bk][c: bk][k: 1]
  float* to = kcrs + (kb * l.bk * l.C + cb * l.bc) * taps;  // [k: C * taps][c: taps][rs: 1]
  for (std::int64_t k0 = 0; k0 < ks; k0 += kStrip) {
    const std::int64_t k1 = std::min(k0 + kStrip, ks);
    for (std::int64_t c = 0; c < cs; ++c)
      for (std::int64_t rs = 0; rs < taps; ++rs)
        for (std::int64_t k = k0; k < k1; ++k) to[(k * l.C + c) * taps + rs] = from[(rs * l.bc + c) * l.bk + k];
  }
}

}  // namespace brickwork
