#include "primitives/analysis/fusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "primitives/analysis/traffic.hpp"

namespace brickwork {
namespace {

const TouchedTensor& tensor_of(const ScheduledNest& nest, int tensor) {
  return nest.touches.tensors[static_cast<std::size_t>(tensor)];
}
std::string_view name_of(const ScheduledNest& nest, int loop) {
  return nest.touches.loops[static_cast<std::size_t>(loop)].name;
}

// The loops on which an index of the tensor depends.
std::vector<bool> loops_of(const ScheduledNest& nest, const TouchedTensor& tensor) {
  std::vector<bool> indexed(nest.touches.loops.size(), false);
  for (const TouchedIndex& index : tensor.index) {
    for (const auto& term : index.terms) {
      const int loop = nest.touches.axes[static_cast<std::size_t>(term.axis)].loop;
      if (loop != Axis::kNoLoop) indexed[static_cast<std::size_t>(loop)] = true;
    }
  }
  return indexed;
}

CachePlace place_of(double bytes, const CacheHierarchy& caches) {
  for (std::size_t place = 0; place + 1 < kPlaces; ++place) {
    if (bytes <= static_cast<double>(caches.bytes[place])) return static_cast<CachePlace>(place);
  }
  return CachePlace::memory;
}

double sum_of(const std::vector<double>& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

// Why no call knows that it writes an element last.
std::string never_last(const ScheduledNest& nest, const TouchedTensor& tensor) {
  if (tensor.touch == Touch::read) return fmt::format("calls only read {}", tensor.name);
  for (const TouchedIndex& index : tensor.index) {
    const auto loops = std::ranges::count_if(index.terms, [&](const auto& term) {
      return nest.touches.axes[static_cast<std::size_t>(term.axis)].loop != Axis::kNoLoop;
    });
    if (loops > 0 && index.terms.size() > 1) {
      return fmt::format("calls write overlapping windows of {}, so that an element's last write is in no fixed call",
                         tensor.name);
    }
  }
  const auto indexed = loops_of(nest, tensor);
  for (const ScheduledLevel& level : nest.levels) {
    if (level.parallel && level.trips > 1 && !indexed[static_cast<std::size_t>(level.loop)]) {
      return fmt::format("several threads add to copies of {}, which are summed after the nest", tensor.name);
    }
  }
  return {};
}

Fusion fusion_at(const ScheduledNest& nest, int tensor, std::size_t fixed, std::string when,
                 const CacheHierarchy& caches) {
  const auto touched = touched_bytes(nest);
  const auto t = static_cast<std::size_t>(tensor);
  return {.refusal = {},
          .when = std::move(when),
          .block_bytes = touched[fixed][t],
          .fused = place_of(sum_of(touched[fixed]), caches),
          .apart = place_of(sum_of(touched[0]), caches),
          .all_bytes = touched[0][t]};
}

}  // namespace

Fusion fuse_element_wise(const ScheduledNest& nest, int tensor, const CacheHierarchy& caches) {
  const TouchedTensor& output = tensor_of(nest, tensor);
  if (std::string why = never_last(nest, output); !why.empty()) return {.refusal = std::move(why)};
  const auto indexed = loops_of(nest, output);
  std::string when;
  for (std::size_t loop = 0; loop < indexed.size(); ++loop) {
    if (indexed[loop] || nest.touches.loops[loop].extent == 1) continue;
    when +=
        fmt::format("{}{}", when.empty() ? "after the last iteration of " : " and of ", nest.touches.loops[loop].name);
  }
  return fusion_at(nest, tensor, nest.levels.size(), when.empty() ? "after each call" : when, caches);
}

Fusion fuse_row_wise(const ScheduledNest& nest, int tensor, int rows, const CacheHierarchy& caches) {
  const TouchedTensor& output = tensor_of(nest, tensor);
  if (std::string why = never_last(nest, output); !why.empty()) return {.refusal = std::move(why)};
  const int loop = nest.touches.axes[static_cast<std::size_t>(rows)].loop;
  std::size_t outer = 0;  // levels that only count rows
  while (outer < nest.levels.size() && (nest.levels[outer].loop == loop || nest.levels[outer].trips == 1)) ++outer;
  const auto first = std::ranges::find_if(nest.levels, [](const ScheduledLevel& level) { return level.trips > 1; });
  if (outer == 0 || first == nest.levels.end() || first->loop != loop) {
    const int outermost = first == nest.levels.end() ? nest.levels.front().loop : first->loop;
    return {.refusal = fmt::format("{} is outside the rows, so that no row is final before the end",
                                   name_of(nest, outermost))};
  }
  return fusion_at(nest, tensor, outer, fmt::format("after each iteration of {}", name_of(nest, loop)), caches);
}

}  // namespace brickwork
