// Batch normalisation of a few rows of one block of channels, with the vectors of this machine.
#pragma once
#include <cstdint>

#include "kernels/layout/sweep.hpp"

namespace brickwork {

// Rows of pixels of bc channels each. Distances: from image to image Rows::next_image, from row to row Rows::next, from
// pixel to pixel bc, from channel to channel 1.
struct PixelRows {
  std::int64_t images, rows, pixels, bc;
  Sweep sweep = Sweep::cached;  // may store outputs past the caches, if their rows are aligned to vectors; the
                                // caller flushes these stores
};
template <class T>
struct Rows {
  T* data = nullptr;  // null if there is no such tensor
  std::int64_t next_image = 0, next = 0;
};

// The unit of sums of deviations from a mean; sums of squares have its square as their unit. It keeps the sums finite
// if the variance is finite in f32, and costs nothing: a fused multiply-subtract takes no longer than a subtraction.
// Squares below 1e-32 vanish, which is nothing beside epsilon, and so do means below 1.5e-39.
inline constexpr double kOffUnit = 1 << 20;

// For each of the bc channels, in units of kOffUnit: `about` is the mean of its first values here, `deviation` the sum
// of all values' deviations from it, `square` the sum of their squares. One sweep is enough and loses nothing that
// matters: if `about` is far from the mean, then the variance is large, too, because `about` is the mean of some of the
// values. The variance keeps its digits; its rounding errors grow by (values / 8) at most, whatever the values. (Sums
// about 0 lose all digits if the mean is far from 0.) Equal values have sums of 0. An `about` that would not be finite
// is 0.
struct RowStatistics {
  float *about, *deviation, *square;
};
void row_statistics(const PixelRows&, Rows<const float> src, const RowStatistics&);

// The mask: a bit for each element, set if the ReLU let it pass. The pixels of a row follow each other; each has whole
// bytes for its channels. Seven bytes after the last one must be readable.
inline std::int64_t mask_bytes_of_pixel(std::int64_t bc) { return (bc + 7) / 8; }
using MaskRows = Rows<const std::uint8_t>;

// dst = (src - mean) * scale + shift + residual, then a ReLU, in which NaN stays NaN; mask = whether dst > 0.
struct NormaliseRows {
  const float *mean, *scale, *shift;
  bool relu = false;
};
void normalise_rows(const PixelRows&, Rows<const float> src, Rows<const float> residual, Rows<float> dst,
                    Rows<std::uint8_t> mask, const NormaliseRows&);

// The sums of d and of d * off for each channel. d is ddst, or 0 if there is a mask and its bit is not set; off is src
// / kOffUnit - mean, with mean in units of kOffUnit. Products below 2^20 times the least f32 are lost.
void gradient_sums(const PixelRows&, Rows<const float> src, Rows<const float> ddst, MaskRows mask, const float* mean,
                   float* sum_d, float* sum_dx);

// dsrc = (d - off * slope - offset) * scale; dresidual = d. (With the scale in it, slope would leave f32 sooner.)
struct GradientRows {
  const float *mean, *scale, *slope, *offset;
};
void gradient_rows(const PixelRows&, Rows<const float> src, Rows<const float> ddst, MaskRows mask, Rows<float> dsrc,
                   Rows<float> dresidual, const GradientRows&);

}  // namespace brickwork
