// Blocked tensors and the way there and back. oneDNN's tags: nChw16c and OIhw16i16o with any block in place of 16.
// Sizes that the block does not divide are padded with zeros inside the tensor, so that drivers only meet whole blocks.
//
// Packing works slice by slice, so that a driver spreads it over its threads; a slice is written whole, padding
// included.
#pragma once
#include <cstdint>

namespace brickwork {

// [N][Cb][Hp][Wp][bc], Hp = H + 2 * pad_h, Wp = W + 2 * pad_w. Zeros lie physically left and right of each row, as a
// row of the brick runs over them; above and below only where a call has the pixels of several rows, as else a driver
// skips the filter rows that fall outside the image.
struct ActivationLayout {
  std::int64_t N = 1, C = 1, H = 1, W = 1, pad_w = 0;
  std::int64_t bc = 1;
  std::int64_t pad_h = 0;

  std::int64_t Cb() const { return (C + bc - 1) / bc; }
  std::int64_t Hp() const { return H + 2 * pad_h; }
  std::int64_t Wp() const { return W + 2 * pad_w; }
  std::int64_t slice_size() const { return Hp() * Wp() * bc; }  // one (n, cb)
  std::int64_t size() const { return N * Cb() * slice_size(); }

  // The first element of a pixel's block; h from -pad_h to H + pad_h - 1, w from -pad_w to W + pad_w - 1.
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

  // The first element of a tap's bc x bk matrix.
  std::int64_t tap(std::int64_t kb, std::int64_t cb, std::int64_t r, std::int64_t s) const {
    return (((kb * Cb() + cb) * R + r) * S + s) * bc * bk;
  }
  std::int64_t index(std::int64_t k, std::int64_t c, std::int64_t r, std::int64_t s) const {
    return tap(k / bk, c / bc, r, s) + c % bc * bk + k % bk;
  }
};

// One (n, cb) slice between a plain tensor (NCHW or NHWC, without padding) and the blocked one; both pointers are the
// tensors' beginnings.
void pack_nchw_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* nchw, float* blocked);
void pack_nhwc_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* nhwc, float* blocked);
void unpack_nchw_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* blocked, float* nchw);
void unpack_nhwc_slice(const ActivationLayout&, std::int64_t n, std::int64_t cb, const float* blocked, float* nhwc);

// One (kb, cb) block between plain KCRS weights and the blocked ones.
void pack_kcrs_block(const WeightLayout&, std::int64_t kb, std::int64_t cb, const float* kcrs, float* blocked);
void unpack_kcrs_block(const WeightLayout&, std::int64_t kb, std::int64_t cb, const float* blocked, float* kcrs);

}  // namespace brickwork
