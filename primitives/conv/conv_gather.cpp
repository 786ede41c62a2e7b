#include "conv/conv_gather.hpp"

#include <fmt/format.h>

namespace brickwork {

std::string gathers_too_much(std::int64_t bytes, std::string_view what) {
  constexpr std::int64_t kMost = 16 << 20;  // far beyond any L2, and what Kokkos gives a task on every host
  if (bytes <= kMost) return {};
  return fmt::format("{} would keep {:.1f} MB a task, but at most {:.1f} MB are possible", what, 1e-6 * bytes,
                     1e-6 * kMost);
}

}  // namespace brickwork
