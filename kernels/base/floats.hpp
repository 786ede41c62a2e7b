// Floats per cache line and per vector: block sizes and places in memory are multiples of these.
#pragma once
#include <cstdint>

namespace brickwork {

constexpr std::int64_t kFloatsOfLine = 16;    // a cache line
constexpr std::int64_t kFloatsOfVector = 16;  // the widest vector, AVX-512

}  // namespace brickwork
