// Addresses of image pixels that form the rows of a matrix, image after image.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// Neighbours in a row of an image are one leading dimension apart. Rows and images may have gaps between them.
struct ImagePixels {
  int cols = 0;                     // pixels of a row; 0: no images, all pixels are one leading dimension apart
  int rows = 1;                     // rows of an image
  std::int64_t row = 0, image = 0;  // elements from one row, and one image, to the next

  BRICKWORK_HOST_DEVICE constexpr std::int64_t place(std::int64_t pixel, std::int64_t ld) const {
    if (cols == 0) return pixel * ld;
    const auto x = static_cast<unsigned>(pixel), line = x / static_cast<unsigned>(cols);  // a device divides 32 bits
    const std::int64_t in_row = std::int64_t{x - line * static_cast<unsigned>(cols)} * ld;
    if (rows == 1) return line * image + in_row;
    const unsigned n = line / static_cast<unsigned>(rows);
    return n * image + std::int64_t{line - n * static_cast<unsigned>(rows)} * row + in_row;
  }
  friend bool operator==(const ImagePixels&, const ImagePixels&) = default;
};

}  // namespace brickwork
