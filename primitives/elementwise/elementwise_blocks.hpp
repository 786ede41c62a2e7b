// Arrays whose elements are treated alike, spread over the host's threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "integers.hpp"
#include "league.hpp"

namespace brickwork {

// body(first, count) for the blocks of 0 .. size - 1. Each thread's lie beside each other; they begin where vectors
// may, as far as the arrays do.
template <class Body>
void for_each_block(std::int64_t size, const Body& body) {
  constexpr std::int64_t kBlock = 1 << 14;
  parallel_league(Kokkos::DefaultHostExecutionSpace(), ceil_div(size, kBlock), 1, 0,
                  [&](const auto&, std::int64_t block, void*) {
                    const std::int64_t first = block * kBlock;
                    body(first, static_cast<std::size_t>(std::min(kBlock, size - first)));
                  });
}

}  // namespace brickwork
