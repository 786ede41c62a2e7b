#pragma once
#include <cstdint>

namespace brickwork {

// How many blocks of b hold a, of non-negative a.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace brickwork
