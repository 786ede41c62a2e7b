// What batch normalisation does to a few rows of one block of channels, with the vectors of the machine it runs on.
#pragma once
#include <cstdint>

#include "kernels/layout/sweep.hpp"

namespace brickwork {

// Rows of pixels, each a block of bc channels: [image: its tensor's next image][row: its next row][pixel: bc]
// [channel: 1].
struct PixelRows {
  std::int64_t images, rows, pixels, bc;
  Sweep sweep = Sweep::cached;  // what goes past the caches does where its rows are aligned to vectors, and whoever
                                // asks for that flushes them
};
template <class T>
struct Rows {
  T* data = nullptr;  // null where there is no such tensor
  std::int64_t next_image = 0, next = 0;
};

// Sums of how far values are off a mean are in units of 2^20, those of the squares in units of its square, so that they
// stay finite where the variance is an f32. A fused multiply-subtract takes no longer than a subtraction; squares
// vanish below 1e-32, which is nothing beside epsilon, and means below 1.5e-39.
inline constexpr double kOffUnit = 1 << 20;

// Of each of the bc channels, in units of kOffUnit: the mean of its first values here, how far all of its values are
// off it together, and the sum of the squares of that. One sweep, and yet no sum loses what matters: an `about` far
// from the mean makes the variance large, too, as it is that of some of the values, so that the variance keeps its
// digits but for a factor of (values / 8) in the rounding errors, whatever the values. (Sums about 0 lose all where the
// mean is far from 0.) Equal values have sums of 0. An `about` that were not finite is 0.
struct RowStatistics {
  float *about, *deviation, *square;
};
void row_statistics(const PixelRows&, Rows<const float> src, const RowStatistics&);

// A bit for each element, set where the ReLU let it pass: the pixels of a row one behind the other, each of whole bytes
// for its channels. Of the last byte of all, seven more must be readable.
inline std::int64_t mask_bytes_of_pixel(std::int64_t bc) { return (bc + 7) / 8; }
using MaskRows = Rows<const std::uint8_t>;

// dst = (src - mean) * scale + shift + residual, and then its ReLU, in which NaN stays NaN; mask = whether dst > 0.
struct NormaliseRows {
  const float *mean, *scale, *shift;
  bool relu = false;
};
void normalise_rows(const PixelRows&, Rows<const float> src, Rows<const float> residual, Rows<float> dst,
                    Rows<std::uint8_t> mask, const NormaliseRows&);

// d is ddst, or 0 where there is a mask without the bit; off is src / kOffUnit - mean, where mean is in units of
// kOffUnit. Of each channel the sums of d and d * off, which lose products below 2^20 of f32's least.
void gradient_sums(const PixelRows&, Rows<const float> src, Rows<const float> ddst, MaskRows mask, const float* mean,
                   float* sum_d, float* sum_dx);

// dsrc = (d - off * slope - offset) * scale; dresidual = d. (A slope with the scale in it leaves f32 sooner.)
struct GradientRows {
  const float *mean, *scale, *slope, *offset;
};
void gradient_rows(const PixelRows&, Rows<const float> src, Rows<const float> ddst, MaskRows mask, Rows<float> dsrc,
                   Rows<float> dresidual, const GradientRows&);

}  // namespace brickwork
