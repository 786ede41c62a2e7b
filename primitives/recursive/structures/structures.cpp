#include "primitives/recursive/structures/structures.hpp"

#include <iterator>
#include <random>
#include <string_view>

#include "primitives/op/size_table.hpp"

namespace brickwork {
namespace {

// A grid has nearly two edges a node, and numbers of edges have 31 bits.
constexpr std::int64_t kMostNodes = std::int64_t{1} << 30;

void check_at_least_one(std::string_view name, std::int64_t value) {
  if (value < 1) size_table::refuse("{} is {}: it must be at least 1", name, value);
}

void check_number_of_nodes(std::int64_t count, std::int64_t nodes_of_one) {
  if (count <= kMostNodes / nodes_of_one) return;
  size_table::refuse("count is {} and a structure has up to {} nodes: together, at most 2^30 nodes are allowed", count,
                     nodes_of_one);
}

// Ends the list of the newest node's children.
void end_node(Forest& f) { f.first_child.push_back(f.edges()); }

std::int32_t newest_node(const Forest& f) { return static_cast<std::int32_t>(f.first_child.size()) - 2; }

void end_structure(Forest& f) { f.first_node.push_back(newest_node(f) + 1); }

// `count` structures of `nodes` nodes. `add_children(first, i)` adds those of node i, where `first` is node 0.
template <class AddChildren>
Forest equal_structures(StructureKind kind, std::int64_t count, std::int64_t nodes, const AddChildren& add_children) {
  check_number_of_nodes(count, nodes);
  Forest forest{.kind = kind};
  for (std::int64_t s = 0; s < count; ++s) {
    for (std::int64_t i = 0; i < nodes; ++i) {
      add_children(forest.children, s * nodes, i);
      end_node(forest);
    }
    end_structure(forest);
  }
  return forest;
}

void add_child(std::vector<std::int32_t>& children, std::int64_t node) {
  children.push_back(static_cast<std::int32_t>(node));
}

// Of the treebank's 11,855 trees, those with 2 to 5 leaves, with 6 to 9, and so on. (Counted in the trees of Socher et
// al., "Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank", EMNLP 2013.)
constexpr std::int32_t kTreesByLeaves[] = {553, 1360, 1672, 1884, 1854, 1636, 1219, 820, 463, 228, 115, 39, 11, 1};
constexpr std::int32_t kLeastLeaves = 2, kLeavesOfBin = 4;
constexpr std::int32_t kMostLeaves =
    kLeastLeaves + kLeavesOfBin * static_cast<std::int32_t>(std::size(kTreesByLeaves)) - 1;

// With this probability a node's first child is a leaf. Otherwise all splits of its leaves are equally likely. Fitted
// to the heights of the treebank's trees, which are twice as high as balanced trees.
constexpr std::int32_t kSingleLeaf = 11, kSingleLeafOf = 20;

// C++ fixes what the engine draws, but not what a distribution makes of it. With arithmetic of our own all machines
// have the same trees.
class TreebankTree {
 public:
  explicit TreebankTree(std::int64_t index) : random_(static_cast<std::uint32_t>(index)) {}

  void add_to(Forest& forest) {
    grow(forest, leaves());
    end_structure(forest);
  }

 private:
  std::int32_t below(std::int32_t end) {
    return static_cast<std::int32_t>(std::uint64_t{random_()} * static_cast<std::uint64_t>(end) >> 32);
  }

  std::int32_t leaves() {
    std::int32_t trees = 0;
    for (const std::int32_t of_bin : kTreesByLeaves) trees += of_bin;
    std::int32_t tree = below(trees), least = kLeastLeaves;
    for (const std::int32_t of_bin : kTreesByLeaves) {
      if (tree < of_bin) break;
      tree -= of_bin;
      least += kLeavesOfBin;
    }
    return least + below(kLeavesOfBin);
  }

  // Adds a tree of so many leaves, children before their parents, and returns its root.
  std::int32_t grow(Forest& forest, std::int32_t leaves) {
    if (leaves > 1) {
      const std::int32_t of_left = below(kSingleLeafOf) < kSingleLeaf ? 1 : 1 + below(leaves - 1);
      const std::int32_t left = grow(forest, of_left), right = grow(forest, leaves - of_left);
      forest.children.insert(forest.children.end(), {left, right});
    }
    end_node(forest);
    return newest_node(forest);
  }

  std::mt19937 random_;
};

}  // namespace

Forest treebank_trees(std::int64_t count) {
  check_at_least_one("count", count);
  check_number_of_nodes(count, 2 * kMostLeaves - 1);
  Forest forest{.kind = StructureKind::tree};
  for (std::int64_t i = 0; i < count; ++i) TreebankTree(i).add_to(forest);
  return forest;
}

Forest perfect_trees(std::int64_t count, std::int64_t height) {
  check_at_least_one("count", count);
  check_at_least_one("height", height);
  if (height > 29) size_table::refuse("height is {}: it must be at most 29", height);
  const std::int64_t leaves = std::int64_t{1} << height, inner = leaves - 1;
  return equal_structures(StructureKind::tree, count, inner + leaves, [&](auto& children, auto first, auto i) {
    if (i >= inner) return;
    add_child(children, first + 2 * i + 1);
    add_child(children, first + 2 * i + 2);
  });
}

Forest grids(std::int64_t count, std::int64_t side) {
  check_at_least_one("count", count);
  check_at_least_one("side", side);
  if (side > kMostNodes / side) size_table::refuse("side is {}: it must be at most 2^15", side);
  return equal_structures(StructureKind::dag, count, side * side, [&](auto& children, auto first, auto i) {
    if (i >= side) add_child(children, first + i - side);
    if (i % side > 0) add_child(children, first + i - 1);
  });
}

Forest sequences(std::int64_t count, std::int64_t length) {
  check_at_least_one("count", count);
  check_at_least_one("length", length);
  return equal_structures(StructureKind::sequence, count, length, [](auto& children, auto first, auto i) {
    if (i > 0) add_child(children, first + i - 1);
  });
}

}  // namespace brickwork
