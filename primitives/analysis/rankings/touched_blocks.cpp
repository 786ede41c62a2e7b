#include "primitives/analysis/rankings/touched_blocks.hpp"

#include <algorithm>

#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// The largest number of points of an axis that one call covers.
std::int64_t points_of_a_call(const Axis& axis, const ScheduledNest& nest) {
  if (axis.loop == Axis::kNoLoop) return axis.size;
  std::int64_t iterations = nest.touches.loops[static_cast<std::size_t>(axis.loop)].extent;
  for (const ScheduledLevel& level : nest.levels) {
    if (level.loop == axis.loop) iterations = std::min(iterations, level.step);
  }
  return std::min(axis.size, iterations * axis.block);
}

std::int64_t count_inside(std::int64_t first, std::int64_t last, std::int64_t least, std::int64_t most) {
  return std::min(last, most) - std::max(first, least) + 1;
}

}  // namespace

TouchedBlocks::TouchedBlocks(const ScheduledNest& nest) : axes_(nest.touches.axes) {
  for (std::size_t loop = 0; loop < nest.touches.loops.size(); ++loop) {
    const bool reduces = nest.touches.loops[loop].kind != LoopKind::independent;
    reductions_end_.push_back(reduces ? nest.iterations(static_cast<int>(loop), nullptr, 0).end : 0);
  }
  std::uint64_t first_block = 0;
  for (const TouchedTensor& declared : nest.touches.tensors) {
    Tensor tensor{.index = {}, .first_block = first_block, .at_last = declared.at_last, .bytes = declared.bytes};
    bool has_rows = false;
    std::uint64_t blocks = 1;
    for (const TouchedIndex& index : declared.index) {
      tensor.index.push_back(cut(index, nest, has_rows));
      blocks *= tensor.index.back().chunks;
    }
    first_block += blocks;
    tensors_.push_back(std::move(tensor));
  }
}

TouchedBlocks::Index TouchedBlocks::cut(const TouchedIndex& declared, const ScheduledNest& nest, bool& has_rows) const {
  Index index;
  std::int64_t last = 0, largest = 1;
  double points = 1;
  for (const TouchedIndex::Term& term : declared.terms) {
    const Axis& axis = axes_[static_cast<std::size_t>(term.axis)];
    if (axis.size == 1) continue;
    const std::int64_t of_call = points_of_a_call(axis, nest);
    index.terms.push_back(term);
    if (axis.loop != Axis::kNoLoop) index.loops |= 1U << axis.loop;
    last += term.factor * (axis.size - 1);
    points *= static_cast<double>(of_call);
    largest = std::max(largest, term.factor * of_call);
  }
  index.least = std::max<std::int64_t>(0, -declared.offset);
  index.most = std::min(last, declared.size - 1 - declared.offset);
  const bool has_gaps = points < static_cast<double>(largest);
  const bool rows = index.terms.size() > 1 && !has_gaps && !has_rows;
  has_rows = has_rows || rows;
  index.chunk = rows ? 1 : largest;
  index.points = has_gaps ? static_cast<std::int64_t>(points) : index.chunk;
  index.chunks = static_cast<std::uint64_t>(last / index.chunk + 1);
  if (index.loops == 0) find_pieces(index, {});
  return index;
}

std::span<const TouchedBlocks::Use> TouchedBlocks::of_call(std::span<const LoopRange> at, std::uint32_t changed) {
  bool last = true;
  for (std::size_t loop = 0; loop < at.size(); ++loop) {
    last = last && (reductions_end_[loop] == 0 || at[loop].end == reductions_end_[loop]);
  }
  uses_.clear();
  for (Tensor& tensor : tensors_) {
    for (Index& index : tensor.index) {
      if ((index.loops & changed) != 0) find_pieces(index, at);
    }
    if (last || !tensor.at_last) add_blocks(tensor, 0, 0, tensor.bytes, tensor.bytes);
  }
  return uses_;
}

void TouchedBlocks::find_pieces(Index& index, std::span<const LoopRange> at) const {
  index.pieces.clear();
  std::int64_t first = 0, last = 0;
  for (const auto& [number, factor] : index.terms) {
    const Axis& axis = axes_[static_cast<std::size_t>(number)];
    const LoopRange points =
        axis.loop == Axis::kNoLoop ? LoopRange{0, axis.size} : points_of(axis, at[static_cast<std::size_t>(axis.loop)]);
    if (points.size() == 0) return;
    first += factor * points.begin, last += factor * (points.end - 1);
  }
  first = std::max(first, index.least), last = std::min(last, index.most);
  for (std::int64_t chunk = first / index.chunk; first <= last && chunk <= last / index.chunk; ++chunk) {
    const std::int64_t begin = chunk * index.chunk, end = begin + index.chunk - 1;
    const auto without_gaps = [&index](std::int64_t values) {
      return index.points < index.chunk ? ceil_div(values * index.points, index.chunk) : values;
    };
    index.pieces.push_back({static_cast<std::uint64_t>(chunk),
                            without_gaps(count_inside(begin, end, index.least, index.most)),
                            without_gaps(count_inside(begin, end, first, last))});
  }
}

void TouchedBlocks::add_blocks(const Tensor& tensor, std::size_t index, std::uint64_t block, std::int64_t bytes,
                               std::int64_t touched) {
  if (index == tensor.index.size()) {
    uses_.push_back({tensor.first_block + block, bytes, touched});
    return;
  }
  const Index& of = tensor.index[index];
  for (const Piece& piece : of.pieces) {
    add_blocks(tensor, index + 1, block * of.chunks + piece.chunk, bytes * piece.values, touched * piece.touched);
  }
}

}  // namespace brickwork
