#include "primitives/recursive/structures/schedule.hpp"

#include <algorithm>

namespace brickwork {
namespace {

Level equal_share(const Level& level, std::int32_t thread, std::int32_t threads) {
  const auto at = [&](std::int64_t i) { return level.begin + static_cast<std::int32_t>(level.size() * i / threads); };
  return {at(thread), at(thread + 1)};
}

class Scheduling {
 public:
  Scheduling(const Levels& levels, std::int32_t stages, std::int32_t threads)
      : l_(levels), levels_(static_cast<std::int32_t>(levels.levels.size())), stages_(stages), threads_(threads) {}

  std::vector<Phase> shared() {
    for (std::int32_t level = 1; level < levels_; ++level) share(level, 0, stages_, all_of(level));
    return phases_;
  }

  std::vector<Phase> subtrees() {
    Phase own;
    for (std::int32_t thread = 0; thread < threads_; ++thread) {
      for (std::int32_t level = 1; level < levels_; ++level) add(own, level, 0, stages_, owned(level, thread), thread);
    }
    phases_.push_back(own);
    for (std::int32_t level = 1; level < levels_; ++level) share(level, 0, stages_, owned(level, kShared));
    return phases_;
  }

  std::vector<Phase> unrolled() {
    std::int32_t level = 1;
    for (; level + 1 < levels_; level += 2) {
      Phase phase;
      for (std::int32_t thread = 0; thread < threads_; ++thread) {
        add_children(phase, level, 0, stages_, thread);
        add(phase, level + 1, 0, stages_, equal_share(all_of(level + 1), thread, threads_), thread);
      }
      phases_.push_back(phase);
    }
    if (level < levels_) share(level, 0, stages_, all_of(level));
    return phases_;
  }

  std::vector<Phase> moved() {
    if (levels_ == 1) return {};
    const std::int32_t last = stages_ - 1;
    share(1, 0, last, all_of(1));
    for (std::int32_t level = 1; level + 1 < levels_; ++level) {
      Phase phase;
      for (std::int32_t thread = 0; thread < threads_; ++thread) {
        add_children(phase, level, last, stages_, thread);
        add(phase, level + 1, 0, last, equal_share(all_of(level + 1), thread, threads_), thread);
      }
      phases_.push_back(phase);
    }
    share(levels_ - 1, last, stages_, all_of(levels_ - 1));
    return phases_;
  }

 private:
  Level all_of(std::int32_t level) const { return l_.levels[static_cast<std::size_t>(level)]; }

  // The nodes of a level that a thread owns; they lie together.
  Level owned(std::int32_t level, std::int32_t owner) const {
    const Level all = all_of(level);
    const auto begin = l_.owner.begin() + all.begin, end = l_.owner.begin() + all.end;
    const auto [first, last] = std::equal_range(begin, end, owner);
    return {static_cast<std::int32_t>(first - l_.owner.begin()), static_cast<std::int32_t>(last - l_.owner.begin())};
  }

  // The first of a level's nodes whose parent is not in the level above, in a place before `parent`. Nodes are sorted
  // by these parents; nodes that have none there come last.
  std::int32_t first_child(std::int32_t level, std::int32_t parent) const {
    const std::int32_t first_parent = all_of(level + 1).begin;
    std::int32_t begin = all_of(level).begin, end = all_of(level).end;
    while (begin < end) {
      const std::int32_t middle = begin + (end - begin) / 2, of_middle = parent_of(middle);
      if (first_parent <= of_middle && of_middle < parent) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
  std::int32_t parent_of(std::int32_t node) const {  // -1: a root
    const auto use = static_cast<std::size_t>(l_.first_use[static_cast<std::size_t>(node)]);
    if (static_cast<std::int32_t>(use) == l_.first_use[static_cast<std::size_t>(node) + 1]) return -1;
    return l_.parent[static_cast<std::size_t>(l_.uses[use])];
  }

  // The children of a thread's share of the next level, and its share of the level's other nodes.
  void add_children(Phase& phase, std::int32_t level, std::int32_t begin, std::int32_t end, std::int32_t thread) const {
    const Level parents = equal_share(all_of(level + 1), thread, threads_);
    add(phase, level, begin, end, {first_child(level, parents.begin), first_child(level, parents.end)}, thread);
    const Level others{first_child(level, all_of(level + 1).end), all_of(level).end};
    add(phase, level, begin, end, equal_share(others, thread, threads_), thread);
  }

  static void add(Phase& phase, std::int32_t level, std::int32_t begin, std::int32_t end, const Level& nodes,
                  std::int32_t owner) {
    if (nodes.size() == 0) return;
    for (std::int32_t stage = begin; stage < end; ++stage) phase.push_back({level, stage, nodes, owner});
  }
  void share(std::int32_t level, std::int32_t begin, std::int32_t end, const Level& nodes) {
    if (nodes.size() == 0) return;
    for (std::int32_t stage = begin; stage < end; ++stage) phases_.push_back({{level, stage, nodes, kShared}});
  }

  const Levels& l_;
  const std::int32_t levels_, stages_, threads_;
  std::vector<Phase> phases_;
};

}  // namespace

std::vector<Phase> schedule(const Levels& levels, StructureKind kind, Division division, std::int32_t stages,
                            std::int32_t threads) {
  Scheduling of(levels, stages, threads);
  if (division == Division::subtrees) return of.subtrees();
  if (kind == StructureKind::dag || division == Division::shared) return of.shared();
  if (division == Division::unrolled) return of.unrolled();
  return stages < 2 ? of.shared() : of.moved();
}

}  // namespace brickwork
