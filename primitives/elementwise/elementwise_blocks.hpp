// Spreads arrays whose elements are all treated alike over the host's threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace brickwork {

// body(first, count) for the blocks of 0 .. size - 1. A thread's blocks are neighbours. Blocks keep the alignment of
// the arrays.
void for_each_block(std::int64_t size, const std::function<void(std::int64_t, std::size_t)>& body);

}  // namespace brickwork
