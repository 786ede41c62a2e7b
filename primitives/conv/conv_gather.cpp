#include "conv/conv_gather.hpp"

#include <fmt/format.h>

namespace brickwork {

std::string gathers_too_much(std::int64_t bytes) {
  constexpr std::int64_t kMost = 16 << 20;  // far beyond any L2, and what Kokkos gives a task on every host
  if (bytes <= kMost) return {};
  return fmt::format("src=gathered would keep {:.1f} MB a task, but at most {:.1f} MB are possible", 1e-6 * bytes,
                     1e-6 * kMost);
}

}  // namespace brickwork
