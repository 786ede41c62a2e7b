// Puts the nodes of a minibatch of structures in the order in which a recursive model computes them.
//
// Nodes of one height lie together: a leaf has height 0, every other node one more than its highest child. Their new
// numbers are places. Roots of the highest structures have the lowest places and leaves the highest, so that a node is
// a leaf if its place is at least Levels::first_leaf, and every child has a higher place than its parents. Leaves keep
// the order of their numbers. (Source: Fegade et al., "Cortex", arXiv 2011.01383, appendix B.) Takes time linear in
// nodes and edges, and no tensor work.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/recursive/structures/forest.hpp"
#include "primitives/recursive/structures/subtrees.hpp"

namespace brickwork {

// Places [begin, end) that may be computed together, after all levels before it.
struct Level {
  std::int32_t begin = 0, end = 0;
  std::int32_t size() const { return end - begin; }
};

constexpr std::int32_t kNoChild = -1;

// The result of a linearizer. An edge is a pair of a node and one of its children. Edges are numbered by the place of
// the node and then in the order of the children, so that those of a level lie together.
struct Levels {
  std::int32_t nodes = 0, edges = 0, first_leaf = 0;
  std::vector<Level> levels;             // in the order of computation, leaves first
  std::vector<std::int32_t> node;        // [place]: the node's number in the forest
  std::vector<std::int32_t> place;       // [node]: the inverse
  std::vector<std::int32_t> first_edge;  // [place], and at the end `edges`: the node's first edge
  std::vector<std::int32_t> parent;      // [edge]: the place of its node
  std::vector<std::int32_t> child;       // [edge]: the place of its child
  std::vector<std::int32_t> first_use;   // [place], and at the end `edges`: the first entry in `uses`
  std::vector<std::int32_t> uses;        // edges by the place of their child: the edges that lead to it
  std::vector<std::int32_t> owner;       // [place]: with LevelOrder::subtrees only
  std::vector<std::int32_t> child_at;    // [position][place]: the place of the child at this position, or kNoChild.
                                         // Positions below the linearizer's `positions`
};

// How the inner nodes of a level are sorted.
enum class LevelOrder {
  numbers,   // by number
  parents,   // by the place of the parent, if that is one level higher; behind them the others, by number
  subtrees,  // by the thread that owns them (subtrees.hpp), shared ones first
};

class Linearizer {
 public:
  // Nodes with more than `most_children` children are refused. `positions` is the number of rows of Levels::child_at.
  // `threads` is for LevelOrder::subtrees.
  explicit Linearizer(std::int32_t most_children, std::int32_t positions = 0, LevelOrder order = LevelOrder::numbers,
                      std::int32_t threads = 1)
      : most_children_(most_children), positions_(positions), level_order_(order), threads_(threads) {}

  // The result stays valid until the next call, which reuses its memory. Throws std::invalid_argument with one sentence
  // that names the structure and the node if there is a cycle, a node with two parents in a tree or a sequence, a child
  // that does not exist in its structure, more children than `most_children` (in a sequence: than one), an empty
  // structure, or no structure.
  const Levels& operator()(const Forest&);

 private:
  bool check_nodes(const Forest&);
  void find_heights(const Forest&);
  void place_nodes();
  void sort_by_parents(const Forest&);
  void sort_by_owners(const Forest&);
  void number_edges(const Forest&);
  void list_children_by_position();

  std::int32_t most_children_, positions_;
  LevelOrder level_order_;
  std::int32_t threads_;
  Levels levels_;
  std::vector<std::int32_t> unseen_uses_;  // [node]: the edges that lead to it from nodes that are not yet in `order_`
  std::vector<std::int32_t> order_;        // nodes, every parent before its children
  std::vector<std::int32_t> height_;       // [node]
  std::vector<std::int32_t> unsorted_;     // nodes of a level
  Subtrees subtrees_;
};

}  // namespace brickwork
