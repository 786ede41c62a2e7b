// The order in which threads compute the stages of all levels (forward), and where they meet.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {

// How threads divide the inner nodes.
enum class Division {
  shared,    // all threads compute each level together, each its own features
  subtrees,  // each thread computes subtrees of its own, then all share the nodes above them
  unrolled,  // each thread computes nodes with their children: two levels from one meeting to the next
  moved      // each thread computes the last stage of nodes with the first stages of their parents
};

constexpr LevelOrder order_for(Division division) {
  return division == Division::shared     ? LevelOrder::numbers
         : division == Division::subtrees ? LevelOrder::subtrees
                                          : LevelOrder::parents;
}

// A stage of the nodes [begin, end) of a level. One thread computes all features, or all threads share them.
struct Work {
  std::int32_t level;  // index in Levels::levels
  std::int32_t stage;
  Level nodes;
  std::int32_t owner;  // a thread, or kShared
};

// All threads meet after each phase.
using Phase = std::vector<Work>;

// The phases of inner nodes that have `stages` stages. The levels are in order_for(division). Structures in which a
// node has several parents are not divided by parents: they are shared.
std::vector<Phase> schedule(const Levels&, StructureKind, Division, std::int32_t stages, std::int32_t threads);

}  // namespace brickwork
