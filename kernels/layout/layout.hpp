// Blocked tensors: their index formulas, and packing from and to plain tensors. oneDNN's tags: nChw16c and OIhw16i16o,
// with any block size in place of 16. If the block size does not divide C or K, zeros inside the tensor fill the last
// block, so that drivers meet only whole blocks.
//
// Packing works slice by slice, so that a driver can spread it over threads. A slice is written whole, padding
// included.
#pragma once
#include <cstdint>

namespace brickwork {

// [N][Cb][Hp][Wp][bc], Hp = H + 2 * pad_h, Wp = W + 2 * pad_w. Zeros lie in memory left and right of each row, because
// a row of the brick reads across them. Zeros above and below are needed only if a call covers pixels of several rows;
// otherwise a driver skips the filter rows that fall outside the image.
struct ActivationLayout {
  std::int64_t N = 1, C = 1, H = 1, W = 1, pad_w = 0;
  std::int64_t bc = 1;
  std::int64_t pad_h = 0;

  std::int64_t Cb() const { return (C + bc - 1) / bc; }
  std::int64_t Hp() const { return H + 2 * pad_h; }
  std::int64_t Wp() const { return W + 2 * pad_w; }
  std::int64_t slice_size() const { return Hp() * Wp() * bc; }  // one (n, cb)
  std::int64_t size() const { return N * Cb() * slice_size(); }

  // First element of a pixel's block; -pad_h <= h < H + pad_h, -pad_w <= w < W + pad_w.
  std::int64_t pixel(std::int64_t n, std::int64_t cb, std::int64_t h, std::int64_t w) const {
    return (((n * Cb() + cb) * Hp() + h + pad_h) * Wp() + w + pad_w) * bc;
  }
  std::int64_t index(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return pixel(n, c / bc, h, w) + c % bc;
  }

  friend bool operator==(const ActivationLayout&, const ActivationLayout&) = default;
};

// [Kb][Cb][R][S][bc][bk]
struct WeightLayout {
  std::int64_t K = 1, C = 1, R = 1, S = 1;
  std::int64_t bk = 1, bc = 1;

  std::int64_t Kb() const { return (K + bk - 1) / bk; }
  std::int64_t Cb() const { return (C + bc - 1) / bc; }
  std::int64_t block_size() const { return R * S * bc * bk; }  // one (kb, cb)
  std::int64_t size() const { return Kb() * Cb() * block_size(); }

  // First element of the bc x bk matrix of a filter tap.
  std::int64_t tap(std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s) const {
    return (((kb * Cb() + cb) * R + r) * S + s) * bc * bk;
  }
  std::int64_t index(std::int64_t k, std::int64_t c, std::int64_t r, std::int64_t s) const {
    return tap(k / bk, c / bc, r, s) + c % bc * bk + k % bk;
  }
};

// Copies one (n, cb) slice between a plain tensor (NCHW or NHWC, no padding) and the blocked one. Both pointers point
// to the beginning of a tensor.
void pack_nchw_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* nchw, float* blocked);
void pack_nhwc_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* nhwc, float* blocked);
void unpack_nchw_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* blocked, float* nchw);
void unpack_nhwc_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* blocked, float* nhwc);

// Copies one (kb, cb) block between plain KCRS weights and the blocked ones.
void pack_kcrs_block(const WeightLayout&, std::int64_t kb, std::int64_t cb, const float* kcrs, float* blocked);
void unpack_kcrs_block(const WeightLayout&, std::int64_t kb, std::int64_t cb, const float* blocked, float* kcrs);

}  // namespace brickwork
