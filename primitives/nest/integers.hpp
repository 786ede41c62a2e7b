// Integer arithmetic that loops and plans share, on host and device.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// a / b rounded up: the number of blocks of size b that hold a. Not positive if a is not positive.
BRICKWORK_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// a / b rounded down, for a positive b.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// `size` rounded up to whole blocks.
BRICKWORK_HOST_DEVICE constexpr std::int64_t whole_blocks(std::int64_t size, std::int64_t block) {
  return ceil_div(size, block) * block;
}

// The block size that cuts `size` into nearly equal blocks of at most `most`: 130 with most = 64 gives 3 blocks of 44,
// not 64 + 64 + 2.
constexpr std::int64_t equal_block(std::int64_t size, std::int64_t most) {
  return ceil_div(size, ceil_div(size, most));
}

BRICKWORK_HOST_DEVICE constexpr std::int64_t clamp(std::int64_t x, std::int64_t least, std::int64_t most) {
  return x < least ? least : x < most ? x : most;
}

}  // namespace brickwork
