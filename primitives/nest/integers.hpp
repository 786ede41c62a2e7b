// Whole numbers that loops and plans are cut by, on host and device.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// How many blocks of b hold a; at most 0 where a is.
BRICKWORK_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The least size of whole blocks that hold so much.
BRICKWORK_HOST_DEVICE constexpr std::int64_t whole_blocks(std::int64_t size, std::int64_t block) {
  return ceil_div(size, block) * block;
}

// The size of equal blocks of at most `most`: 130 becomes 3 blocks of 44 rather than 64 + 64 + 2.
constexpr std::int64_t equal_block(std::int64_t size, std::int64_t most) {
  return ceil_div(size, ceil_div(size, most));
}

BRICKWORK_HOST_DEVICE constexpr std::int64_t clamp(std::int64_t x, std::int64_t least, std::int64_t most) {
  return x < least ? least : x < most ? x : most;
}

}  // namespace brickwork
