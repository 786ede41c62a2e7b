// Random minibatches of structures, for tests.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "primitives/recursive/structures/forest.hpp"

namespace brickwork {

struct RandomForest {
  StructureKind kind = StructureKind::tree;
  std::int32_t structures = 1;
  std::int32_t most_nodes = 20;    // of a structure, at least 1
  std::int32_t most_children = 2;  // of a node, at least 1
};

using ChildrenOfNodes = std::vector<std::vector<std::int32_t>>;

// From 0 to end - 1.
inline std::int32_t random_below(std::int32_t end, std::mt19937& random) {
  return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(end));
}

// Each node but the first is the child of an earlier one that has room: half of the time one of the last three, so that
// trees become deep, too. A node becomes a root if there is no room, and sometimes at random.
inline ChildrenOfNodes random_tree(std::int32_t nodes, std::int32_t most_children, std::mt19937& random) {
  ChildrenOfNodes children(static_cast<std::size_t>(nodes));
  for (std::int32_t node = 1; node < nodes; ++node) {
    const std::int32_t eligible = random_below(2, random) == 0 ? node : std::min(node, 3);
    auto& of_parent = children[static_cast<std::size_t>(node - 1 - random_below(eligible, random))];
    const bool has_room = std::ssize(of_parent) < most_children;
    if (has_room && random_below(16, random) > 0) of_parent.push_back(node);
  }
  return children;
}

// A node's children are any earlier nodes, and may repeat.
inline ChildrenOfNodes random_dag(std::int32_t nodes, std::int32_t most_children, std::mt19937& random) {
  ChildrenOfNodes children(static_cast<std::size_t>(nodes));
  for (std::int32_t node = 1; node < nodes; ++node) {
    const std::int32_t eligible = random_below(2, random) == 0 ? node : std::min(node, 3);
    auto& of_node = children[static_cast<std::size_t>(node)];
    of_node.resize(static_cast<std::size_t>(random_below(most_children + 1, random)));
    for (std::int32_t& child : of_node) child = node - 1 - random_below(eligible, random);
  }
  return children;
}

// Each node but the first is the child of the one before, except for a few that begin a sequence of their own.
inline ChildrenOfNodes random_sequence(std::int32_t nodes, std::mt19937& random) {
  ChildrenOfNodes children(static_cast<std::size_t>(nodes));
  for (std::int32_t node = 1; node < nodes; ++node) {
    if (random_below(16, random) > 0) children[static_cast<std::size_t>(node - 1)].push_back(node);
  }
  return children;
}

inline ChildrenOfNodes random_structure(const RandomForest& r, std::int32_t nodes, std::mt19937& random) {
  switch (r.kind) {
    case StructureKind::tree:
      return random_tree(nodes, r.most_children, random);
    case StructureKind::dag:
      return random_dag(nodes, r.most_children, random);
    default:
      return random_sequence(nodes, random);
  }
}

inline ChildrenOfNodes randomly_numbered(const ChildrenOfNodes& structure, std::mt19937& random) {
  std::vector<std::int32_t> number(structure.size());
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  ChildrenOfNodes renumbered(structure.size());
  for (std::size_t node = 0; node < structure.size(); ++node) {
    auto& children = renumbered[static_cast<std::size_t>(number[node])];
    for (const std::int32_t child : structure[node]) children.push_back(number[static_cast<std::size_t>(child)]);
  }
  return renumbered;
}

// One structure in three has a single node. Nodes are numbered in any order.
inline Forest random_forest(const RandomForest& r, std::mt19937& random) {
  Forest forest{.kind = r.kind};
  for (std::int32_t s = 0; s < r.structures; ++s) {
    const std::int32_t nodes = random_below(3, random) == 0 ? 1 : 1 + random_below(r.most_nodes, random);
    forest.add(randomly_numbered(random_structure(r, nodes, random), random));
  }
  return forest;
}

}  // namespace brickwork
