#include "primitives/elementwise/elementwise_blocks.hpp"

#include <algorithm>

#include "primitives/nest/integers.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {

void for_each_block(std::int64_t size, const std::function<void(std::int64_t, std::size_t)>& body) {
  constexpr std::int64_t kBlock = 1 << 14;
  for_each_on_host(ceil_div(size, kBlock), [&](std::int64_t block) {
    const std::int64_t first = block * kBlock;
    body(first, static_cast<std::size_t>(std::min(kBlock, size - first)));
  });
}

}  // namespace brickwork
