#include "conv/conv_taps.hpp"

#include <algorithm>

namespace brickwork {

std::vector<TapGroup> tap_groups(const ConvProblem& p) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; };
  std::vector<TapGroup> groups;
  for (std::int64_t s = 0; s < p.S; ++s) {
    // 0 <= q * stride_w + s - pad_w < W
    const std::int64_t begin = ceil_div(p.pad_w - s, p.stride_w);
    const std::int64_t end = std::min(p.Q(), ceil_div(p.W + p.pad_w - s, p.stride_w));
    if (begin >= end) continue;
    if (!groups.empty() && groups.back().first + groups.back().count == s && groups.back().begin == begin &&
        groups.back().end == end) {
      ++groups.back().count;
    } else {
      groups.push_back({s, 1, begin, end});
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const TapGroup& a, const TapGroup& b) { return a.pixels() > b.pixels(); });
  return groups;
}

}  // namespace brickwork
