// Arrays whose elements are treated alike, spread over the host's threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace brickwork {

// body(first, count) for the blocks of 0 .. size - 1. Each thread's lie beside each other; they begin where vectors
// may, as far as the arrays do.
void for_each_block(std::int64_t size, const std::function<void(std::int64_t, std::size_t)>& body);

}  // namespace brickwork
