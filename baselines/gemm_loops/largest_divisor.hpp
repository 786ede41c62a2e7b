// Block sizes for libraries that leave the choice to their user.
#pragma once
#include <algorithm>
#include <cstdint>

namespace brickwork {

inline std::int64_t largest_divisor_up_to_64(std::int64_t size) {
  std::int64_t block = std::min<std::int64_t>(size, 64);
  while (size % block != 0) --block;
  return block;
}

}  // namespace brickwork
