#include "primitives/recursive/structures/linearizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "primitives/op/size_table.hpp"

namespace brickwork {
namespace {

using Numbers = std::vector<std::int32_t>;

void check_arrays(const Forest& f) {
  const auto ascends_to = [](const Numbers& numbers, std::int64_t last) {
    return !numbers.empty() && numbers.front() == 0 && numbers.back() == last && std::ranges::is_sorted(numbers);
  };
  if (!ascends_to(f.first_node, std::ssize(f.first_child) - 1) || !ascends_to(f.first_child, std::ssize(f.children)))
    throw std::logic_error("the arrays of a forest disagree about its nodes or edges");
}

// Throws with a sentence about structure `s`, in which numbers of nodes count from the structure's first node.
template <class... Args>
[[noreturn]] void refuse_structure(std::size_t s, fmt::format_string<Args...> format, Args&&... args) {
  size_table::refuse("structure {}: {}", s, fmt::format(format, std::forward<Args>(args)...));
}

// Wraps around, like Forest::add.
std::int32_t number_within(std::int32_t first, std::int32_t node) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(node) - static_cast<std::uint32_t>(first));
}

[[noreturn]] void refuse_children(const Forest& f, std::size_t s, std::int32_t node, std::int32_t most) {
  const auto number = number_within(f.first_node[s], node);
  const auto count = f.children_of(node).size();
  if (f.kind == StructureKind::sequence && most == 1) {
    refuse_structure(s, "node {} has {} children, but a node of a sequence has at most 1", number, count);
  }
  refuse_structure(s, "node {} has {} children: at most {} are allowed", number, count, most);
}

[[noreturn]] void refuse_child(const Forest& f, std::size_t s, std::int32_t node, std::int32_t child) {
  const auto first = f.first_node[s];
  refuse_structure(s, "node {} has the child {}, which does not exist: the structure's nodes are 0 to {}",
                   number_within(first, node), number_within(first, child), f.first_node[s + 1] - first - 1);
}

[[noreturn]] void refuse_second_parent(const Forest& f, std::size_t s, std::int32_t parent, std::int32_t child) {
  const auto first = f.first_node[s];
  std::int32_t other = first;
  while (std::ranges::count(f.children_of(other), child) == 0) ++other;
  refuse_structure(s, "node {} is a child of node {} and again of node {}, but a node of a {} has at most one parent",
                   number_within(first, child), number_within(first, other), number_within(first, parent),
                   f.kind == StructureKind::tree ? "tree" : "sequence");
}

// Every node with unseen uses has a parent with unseen uses. A long enough walk from parent to parent is on a cycle.
[[noreturn]] void refuse_cycle(const Forest& f, const Numbers& unseen_uses) {
  Numbers parent(unseen_uses.size());
  std::int32_t node = 0;
  for (std::int32_t n = 0; n < f.nodes(); ++n) {
    if (unseen_uses[static_cast<std::size_t>(n)] == 0) continue;
    node = n;
    for (const std::int32_t child : f.children_of(n)) parent[static_cast<std::size_t>(child)] = n;
  }
  std::int32_t least = f.nodes();
  for (std::int64_t step = 0; step < 2 * std::int64_t{f.nodes()}; ++step) {
    node = parent[static_cast<std::size_t>(node)];
    if (step >= f.nodes()) least = std::min(least, node);
  }
  const auto next = std::ranges::upper_bound(f.first_node, least);
  refuse_structure(static_cast<std::size_t>(next - f.first_node.begin() - 1),
                   "node {} is on a cycle, but no node may be below itself", number_within(*std::prev(next), least));
}

}  // namespace

const Levels& Linearizer::operator()(const Forest& forest) {
  check_arrays(forest);
  levels_.nodes = forest.nodes();
  levels_.edges = forest.edges();
  if (!check_nodes(forest)) find_heights(forest);
  place_nodes();
  if (level_order_ == LevelOrder::parents) sort_by_parents(forest);
  if (level_order_ == LevelOrder::subtrees) sort_by_owners(forest);
  number_edges(forest);
  list_children_by_position();
  return levels_;
}

// Checks all nodes. Returns true if every node has a higher number than its children, which holds for most files: then
// this pass finds the heights, and there is no cycle. That saves the two passes of find_heights().
bool Linearizer::check_nodes(const Forest& forest) {
  if (forest.structures() == 0) size_table::refuse("there is no structure: a minibatch has at least one");
  const bool one_parent = forest.kind != StructureKind::dag;
  const std::int32_t most =
      forest.kind == StructureKind::sequence ? std::min<std::int32_t>(most_children_, 1) : most_children_;
  height_.resize(static_cast<std::size_t>(forest.nodes()));
  unseen_uses_.assign(static_cast<std::size_t>(forest.nodes()), 0);
  std::int32_t *const height = height_.data(), *const uses = unseen_uses_.data();
  bool in_order = true;
  for (std::size_t s = 0; s + 1 < forest.first_node.size(); ++s) {
    const std::int32_t first = forest.first_node[s], end = forest.first_node[s + 1];
    if (end <= first) size_table::refuse("structure {} is empty: it needs at least one node", s);
    for (std::int32_t node = first; node < end; ++node) {
      const auto children = forest.children_of(node);
      if (static_cast<std::int64_t>(children.size()) > most) refuse_children(forest, s, node, most);
      std::int32_t own = 0;
      for (const std::int32_t child : children) {
        if (child < first || child >= end) refuse_child(forest, s, node, child);
        if (uses[child]++ > 0 && one_parent) refuse_second_parent(forest, s, node, child);
        in_order &= child < node;
        own = std::max(own, height[child] + 1);
      }
      height[node] = own;
    }
  }
  return in_order;
}

// A node enters `order_` after all its parents (Kahn's algorithm). Nodes on a cycle never do.
void Linearizer::find_heights(const Forest& forest) {
  order_.resize(static_cast<std::size_t>(forest.nodes()));
  std::int32_t *const order = order_.data(), *const height = height_.data(), *const unseen = unseen_uses_.data();
  std::int32_t found = 0;
  for (std::int32_t node = 0; node < forest.nodes(); ++node) {
    if (unseen[node] == 0) order[found++] = node;
  }
  for (std::int32_t i = 0; i < found; ++i) {
    for (const std::int32_t child : forest.children_of(order[i])) {
      if (--unseen[child] == 0) order[found++] = child;
    }
  }
  if (found < forest.nodes()) refuse_cycle(forest, unseen_uses_);
  for (std::int32_t i = found - 1; i >= 0; --i) {
    std::int32_t own = 0;
    for (const std::int32_t child : forest.children_of(order[i])) own = std::max(own, height[child] + 1);
    height[order[i]] = own;
  }
}

// Sorts the nodes by height, those of one height by number (counting sort).
void Linearizer::place_nodes() {
  const std::int32_t nodes = levels_.nodes;
  levels_.node.resize(static_cast<std::size_t>(nodes));
  levels_.place.resize(static_cast<std::size_t>(nodes));
  levels_.levels.assign(static_cast<std::size_t>(std::ranges::max(height_)) + 1, {});
  std::int32_t *const node_at = levels_.node.data(), *const place_of = levels_.place.data();
  const std::int32_t* const height = height_.data();
  Level* const levels = levels_.levels.data();
  for (std::int32_t node = 0; node < nodes; ++node) ++levels[height[node]].end;
  std::int32_t begin = 0;
  for (auto level = levels_.levels.rbegin(); level != levels_.levels.rend(); ++level) {
    const std::int32_t size = level->end;
    *level = {.begin = begin, .end = begin};
    begin += size;
  }
  for (std::int32_t node = 0; node < nodes; ++node) {
    const std::int32_t place = levels[height[node]].end++;
    node_at[place] = node;
    place_of[node] = place;
  }
  levels_.first_leaf = levels->begin;
}

void Linearizer::sort_by_parents(const Forest& forest) {
  const auto& levels = levels_.levels;
  unseen_uses_.assign(height_.size(), 0);
  std::int32_t* const sorted = unseen_uses_.data();  // nodes that have their place
  for (std::size_t l = levels.size() - 1; l-- > 1;) {
    const auto nodes =
        std::span(levels_.node)
            .subspan(static_cast<std::size_t>(levels[l].begin), static_cast<std::size_t>(levels[l].size()));
    unsorted_.assign(nodes.begin(), nodes.end());
    std::int32_t place = levels[l].begin;
    const auto put = [&](std::int32_t node) {
      levels_.node[static_cast<std::size_t>(place)] = node;
      levels_.place[static_cast<std::size_t>(node)] = place++;
    };
    const auto height = static_cast<std::int32_t>(l);
    for (std::int32_t parent = levels[l + 1].begin; parent < levels[l + 1].end; ++parent) {
      for (const std::int32_t child : forest.children_of(levels_.node[static_cast<std::size_t>(parent)])) {
        if (height_[static_cast<std::size_t>(child)] == height && sorted[child]++ == 0) put(child);
      }
    }
    for (const std::int32_t node : unsorted_) {
      if (sorted[node] == 0) put(node);
    }
  }
}

void Linearizer::sort_by_owners(const Forest& forest) {
  const auto owner_of = subtrees_(forest, height_, levels_.node, threads_);
  const auto owner = [&](std::int32_t node) { return owner_of[static_cast<std::size_t>(node)]; };
  std::ranges::stable_sort(levels_.node.begin(), levels_.node.begin() + levels_.first_leaf,
                           [&](std::int32_t a, std::int32_t b) {
                             const std::int32_t height_a = height_[static_cast<std::size_t>(a)],
                                                height_b = height_[static_cast<std::size_t>(b)];
                             return height_a != height_b ? height_a > height_b : owner(a) < owner(b);
                           });
  levels_.owner.resize(levels_.node.size());
  for (std::size_t place = 0; place < levels_.node.size(); ++place) {
    levels_.place[static_cast<std::size_t>(levels_.node[place])] = static_cast<std::int32_t>(place);
    levels_.owner[place] = owner(levels_.node[place]);
  }
}

void Linearizer::number_edges(const Forest& forest) {
  const std::int32_t nodes = levels_.nodes;
  const auto edges = static_cast<std::size_t>(levels_.edges);
  levels_.first_edge.resize(static_cast<std::size_t>(nodes) + 1);
  levels_.parent.resize(edges);
  levels_.child.resize(edges);
  levels_.first_use.assign(static_cast<std::size_t>(nodes) + 1, 0);
  levels_.uses.resize(edges);
  const std::int32_t *const node_at = levels_.node.data(), *const place_of = levels_.place.data();
  std::int32_t *const first_edge = levels_.first_edge.data(), *const parent = levels_.parent.data(),
                      *const child = levels_.child.data(), *const first_use = levels_.first_use.data();
  std::int32_t edge = 0;
  for (std::int32_t place = 0; place < nodes; ++place) {
    first_edge[place] = edge;
    for (const std::int32_t number : forest.children_of(node_at[place])) {
      parent[edge] = place;
      child[edge] = place_of[number];
      ++first_use[child[edge]];
      ++edge;
    }
  }
  first_edge[nodes] = edge;
  // The end of each place's uses, then, as they are filled from the last to the first, their beginning.
  std::partial_sum(levels_.first_use.begin(), levels_.first_use.end(), levels_.first_use.begin());
  while (edge-- > 0) levels_.uses[static_cast<std::size_t>(--first_use[child[edge]])] = edge;
}

void Linearizer::list_children_by_position() {
  const std::int32_t nodes = levels_.nodes;
  levels_.child_at.resize(static_cast<std::size_t>(positions_) * static_cast<std::size_t>(nodes));
  const std::int32_t *const first_edge = levels_.first_edge.data(), *const child = levels_.child.data();
  std::int32_t* at_position = levels_.child_at.data();
  for (std::int32_t position = 0; position < positions_; ++position, at_position += nodes) {
    for (std::int32_t place = 0; place < nodes; ++place) {
      const std::int32_t edge = first_edge[place] + position;
      at_position[place] = edge < first_edge[place + 1] ? child[edge] : kNoChild;
    }
  }
}

}  // namespace brickwork
