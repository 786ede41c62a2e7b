// A minibatch of structures: trees, directed acyclic graphs and sequences. The input of the linearizer.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace brickwork {

enum class StructureKind {
  tree,      // no node has two parents
  dag,       // a node may have several parents
  sequence,  // a tree whose nodes have at most one child
};

// Nodes are numbered through all structures, those of structure 0 first. A node's children lie in its own structure and
// have an order; a child may occur twice in a DAG. Nodes without a parent are roots: a structure may have several, and
// the nodes are in any order.
struct Forest {
  StructureKind kind = StructureKind::tree;
  std::vector<std::int32_t> first_node = {0};   // of each structure, and at the end the number of all nodes
  std::vector<std::int32_t> first_child = {0};  // of each node in `children`, and at the end the number of all edges
  std::vector<std::int32_t> children;           // node numbers

  std::int32_t structures() const { return static_cast<std::int32_t>(first_node.size()) - 1; }
  std::int32_t nodes() const { return first_node.back(); }
  std::int32_t edges() const { return static_cast<std::int32_t>(children.size()); }
  std::span<const std::int32_t> children_of(std::int32_t node) const {
    const auto n = static_cast<std::size_t>(node);
    return {children.data() + first_child[n], static_cast<std::size_t>(first_child[n + 1] - first_child[n])};
  }
  std::int64_t most_children() const;  // of any node

  // Appends one structure whose node i has the children [i], numbered within the structure. Throws
  // std::invalid_argument if there would be more than 2^31 - 1 nodes or edges; the linearizer checks everything else.
  void add(std::span<const std::vector<std::int32_t>> children_of_nodes);
};

}  // namespace brickwork
