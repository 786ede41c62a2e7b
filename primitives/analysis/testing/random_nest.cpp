#include "primitives/analysis/testing/random_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace brickwork {
namespace {

constexpr const char* kLoopNames[] = {"v", "w", "x", "y", "z"};

class RandomNest {
 public:
  explicit RandomNest(std::mt19937& random) : random_(random) {}

  ScheduledNest make() {
    NestTouches touches;
    add_loops(touches);
    for (std::int64_t windows = up_to(0, 2); windows > 0; --windows) {
      touches.axes.push_back({"window", up_to(1, 4)});
    }
    for (const char* name : {"a", "b"}) add_tensors(touches, name);
    auto nest = scheduled(touches, schedule(touches.loops));
    if (!nest) throw std::logic_error(nest.reason());
    return *nest;
  }

 private:
  std::int64_t up_to(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool one_in(std::int64_t n) { return up_to(1, n) == 1; }

  void add_loops(NestTouches& touches) {
    const auto count = static_cast<int>(up_to(1, 5));
    for (int l = 0; l < count; ++l) {
      const LoopKind kind = one_in(3) ? LoopKind::reduction : LoopKind::independent;
      touches.loops.push_back({kLoopNames[l], up_to(1, count > 3 ? 3 : 7), kind, one_in(2)});
      const std::int64_t block = up_to(1, 3);
      const std::int64_t size = (touches.loops[l].extent - 1) * block + up_to(1, block);
      if (!one_in(8)) touches.axes.push_back({kLoopNames[l], size, l, block});
    }
  }

  // One or two tensors of a name. They have the same sizes and bytes.
  void add_tensors(NestTouches& touches, const char* name) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(up_to(0, 3)));
    for (std::int64_t& size : sizes) size = up_to(1, 10);
    const std::int64_t bytes = up_to(1, 4), count = up_to(1, 2);
    const bool alike = one_in(2);
    for (std::int64_t i = 0; i < count; ++i) {
      TouchedTensor tensor{name, static_cast<Touch>(up_to(0, 2)), {}, one_in(4), bytes};
      tensor.index = i > 0 && alike ? touches.tensors.back().index : indices(sizes, touches.axes);
      touches.tensors.push_back(tensor);
    }
  }

  std::vector<TouchedIndex> indices(const std::vector<std::int64_t>& sizes, const std::vector<Axis>& axes) {
    std::vector<TouchedIndex> indices;
    for (const std::int64_t size : sizes) indices.push_back({{}, one_in(2) ? 0 : up_to(-3, 3), size});
    for (int axis = 0; axis < std::ssize(axes); ++axis) {
      if (sizes.empty() || one_in(3)) continue;
      indices[up_to(0, std::ssize(sizes) - 1)].terms.push_back({axis, one_in(2) ? 1 : up_to(1, 4)});
    }
    return indices;
  }

  LoopSchedule schedule(const std::vector<Loop>& loops) {
    std::vector<LoopSchedule::Level> levels;
    for (const Loop& loop : loops) {
      const std::int64_t inner = loop.ranged ? up_to(1, 2) : 1;
      const auto add = [&](std::int64_t step) {
        levels.insert(levels.begin() + up_to(0, std::ssize(levels)), {std::string(loop.name), step});
      };
      add(inner);
      if (!one_in(3) || loop.extent <= inner) continue;
      const auto place = std::ranges::find(levels, std::string(loop.name), &LoopSchedule::Level::name) - levels.begin();
      levels.insert(levels.begin() + up_to(0, place), {std::string(loop.name), up_to(inner + 1, loop.extent)});
    }
    const std::int64_t begin = up_to(0, std::ssize(levels) - 1),
                       end = std::min(begin + up_to(0, 2), std::ssize(levels));
    for (std::int64_t l = begin; l < end; ++l) {
      const auto& loop = *std::ranges::find(loops, std::string_view(levels[l].name), &Loop::name);
      if (loop.kind != LoopKind::independent || (l > begin && levels[l].name == levels[begin].name)) break;
      levels[l].parallel = true;
    }
    return {levels};
  }

  std::mt19937& random_;
};

}  // namespace

ScheduledNest random_nest(std::mt19937& random) { return RandomNest(random).make(); }

std::string to_string(const ScheduledNest& nest) {
  std::string text = "levels:";
  for (const auto& [loop, step, trips, parallel] : nest.levels) {
    text +=
        fmt::format(" {}:{} ({} trips{})", nest.touches.loops[loop].name, step, trips, parallel ? ", parallel" : "");
  }
  for (const Axis& axis : nest.touches.axes) {
    text += fmt::format("\naxis {}: size {}, loop {}, block {}", axis.name, axis.size, axis.loop, axis.block);
  }
  for (const TouchedTensor& tensor : nest.touches.tensors) {
    text +=
        fmt::format("\n{}{}, touch {}:", tensor.name, tensor.at_last ? " at last" : "", static_cast<int>(tensor.touch));
    for (const TouchedIndex& index : tensor.index) {
      text += fmt::format(" [{}", index.offset);
      for (const auto& [axis, factor] : index.terms) text += fmt::format(" + {} * axis {}", factor, axis);
      text += fmt::format(" < {}]", index.size);
    }
  }
  return text;
}

}  // namespace brickwork
