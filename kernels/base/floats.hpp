// How many floats the hosts' hardware takes at once: what blocks and places in memory are whole multiples of.
#pragma once
#include <cstdint>

namespace brickwork {

constexpr std::int64_t kFloatsOfLine = 16;    // of a cache
constexpr std::int64_t kFloatsOfVector = 16;  // of the widest, AVX-512's

}  // namespace brickwork
