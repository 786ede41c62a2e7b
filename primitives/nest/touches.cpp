#include "primitives/nest/touches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace brickwork {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 60;

std::string misdeclared(const NestTouches& nest, const TouchedTensor& tensor) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
  if (tensor.bytes < 1) return fmt::format("an element of tensor '{}' has {} bytes", tensor.name, tensor.bytes);
  std::int64_t bytes = tensor.bytes;
  std::set<int> seen;
  for (const TouchedIndex& index : tensor.index) {
    if (index.size < 1 || index.size > kMostBytes / bytes) {
      return fmt::format("tensor '{}' has an index of size {}, but its bytes must number from 1 to 2^62", tensor.name,
                         index.size);
    }
    bytes *= index.size;
    std::int64_t reach = kFarthest - std::min(std::abs(std::max(index.offset, -kFarthest)), kFarthest);
    for (const auto& [axis, factor] : index.terms) {
      if (axis < 0 || axis >= std::ssize(nest.axes)) return fmt::format("tensor '{}' names no axis", tensor.name);
      if (factor < 1) return fmt::format("tensor '{}' has a factor of {}; it must be positive", tensor.name, factor);
      const std::int64_t last = nest.axes[static_cast<std::size_t>(axis)].size - 1;
      reach = last > 0 && factor > reach / last ? 0 : reach - factor * last;
      if (!seen.insert(axis).second) {
        return fmt::format("axis '{}' occurs twice in tensor '{}'; one index must have it alone", nest.axes[axis].name,
                           tensor.name);
      }
    }
    if (reach == 0) return fmt::format("an index of tensor '{}' takes values beyond 2^60", tensor.name);
  }
  return {};
}

std::string differ(const TouchedTensor& a, const TouchedTensor& b) {
  if (a.bytes == b.bytes && std::ranges::equal(a.index, b.index, {}, &TouchedIndex::size, &TouchedIndex::size))
    return {};
  return fmt::format("the tensors '{}' must have equal sizes and bytes, as they are one tensor", a.name);
}

}  // namespace

std::string misdeclared(const NestTouches& nest) {
  std::set<int> loops;
  for (const Axis& axis : nest.axes) {
    if (axis.size < 1 || axis.block < 1 || axis.size > kMostIterations || axis.block > kMostIterations) {
      return fmt::format("axis '{}' must have a size and a block from 1 to 2^40", axis.name);
    }
    if (axis.loop == Axis::kNoLoop) continue;
    if (axis.loop < 0 || axis.loop >= std::ssize(nest.loops)) return fmt::format("axis '{}' names no loop", axis.name);
    const Loop& loop = nest.loops[static_cast<std::size_t>(axis.loop)];
    if (!loops.insert(axis.loop).second) return fmt::format("two axes have the loop '{}'", loop.name);
    if ((axis.size - 1) / axis.block + 1 != loop.extent) {
      return fmt::format("axis '{}' of {} points in blocks of {} does not fit the {} iterations of its loop '{}'",
                         axis.name, axis.size, axis.block, loop.extent, loop.name);
    }
  }
  for (const TouchedTensor& tensor : nest.tensors) {
    if (std::string what = misdeclared(nest, tensor); !what.empty()) return what;
    const auto first = std::ranges::find(nest.tensors, tensor.name, &TouchedTensor::name);
    if (std::string what = differ(*first, tensor); !what.empty()) return what;
  }
  return {};
}

LoopRange points_of(const Axis& axis, const LoopRange& iterations) {
  if (axis.loop == Axis::kNoLoop) return {0, axis.size};
  const std::int64_t end = std::min(iterations.end * axis.block, axis.size);
  return {std::min(iterations.begin * axis.block, end), end};
}

}  // namespace brickwork
