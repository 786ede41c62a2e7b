// The pixels that a strided 1x1 kernel reads, copied next to each other, so that they are one long row.
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace brickwork {

// Of one block of input features; lengths in elements.
struct StridedPixels {
  std::int64_t Q;           // output pixels of a row
  std::int64_t row, pixel;  // from an output row, or pixel, to the next: what the stride jumps over is counted in
  std::int64_t bc;
};

// Output pixels first .. first + count - 1 of the image and block at `from`, by all threads of a team.
template <class Team, class T>
BRICKWORK_HOST_DEVICE void gather_pixels(const Team& team, const StridedPixels& strided, const T* from,
                                         std::int64_t first, std::int64_t count, T* dense) {
  std::int64_t row = 0, col = first + team.rank();
  for (std::int64_t i = team.rank(); i < count; i += team.size(), col += team.size()) {
    if (col >= strided.Q) row += col / strided.Q, col %= strided.Q;
    const T* const pixel = from + row * strided.row + col * strided.pixel;
    for (std::int64_t c = 0; c < strided.bc; ++c) dense[i * strided.bc + c] = pixel[c];
  }
}

}  // namespace brickwork
