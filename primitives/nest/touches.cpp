#include "primitives/nest/touches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace brickwork {
namespace {

std::string misdeclared(const NestTouches& nest, const TouchedTensor& tensor) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 62;
  if (tensor.bytes < 1) return fmt::format("an element of tensor '{}' must have at least one byte", tensor.name);
  std::int64_t elements = tensor.bytes;
  std::set<int> seen;
  for (const TouchedIndex& index : tensor.index) {
    if (index.size < 1 || index.size > kMostElements / elements) {
      return fmt::format("tensor '{}' has an index of size {}, but its bytes must number from 1 to 2^62", tensor.name,
                         index.size);
    }
    elements *= index.size;
    for (const auto& [axis, factor] : index.terms) {
      if (axis < 0 || axis >= std::ssize(nest.axes)) return fmt::format("tensor '{}' names no axis", tensor.name);
      if (factor < 1) return fmt::format("tensor '{}' has a factor of {}; it must be positive", tensor.name, factor);
      if (!seen.insert(axis).second) {
        return fmt::format("axis '{}' occurs twice in tensor '{}'; one index must have it alone", nest.axes[axis].name,
                           tensor.name);
      }
    }
  }
  return {};
}

// Two declarations of one tensor describe the same memory.
bool have_same_sizes(const TouchedTensor& one, const TouchedTensor& other) {
  return one.bytes == other.bytes &&
         std::ranges::equal(one.index, other.index, {}, &TouchedIndex::size, &TouchedIndex::size);
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
    const auto& first = *std::ranges::find(nest.tensors, tensor.name, &TouchedTensor::name);
    if (!have_same_sizes(first, tensor)) {
      return fmt::format("tensor '{}' is declared twice, with indices or elements of other sizes", tensor.name);
    }
  }
  return {};
}

LoopRange points_of(const Axis& axis, const LoopRange& iterations) {
  if (axis.loop == Axis::kNoLoop) return {0, axis.size};
  const std::int64_t end = std::min(iterations.end * axis.block, axis.size);
  return {std::min(iterations.begin * axis.block, end), end};
}

}  // namespace brickwork
