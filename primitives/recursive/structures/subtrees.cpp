#include "primitives/recursive/structures/subtrees.hpp"

#include <algorithm>
#include <functional>

namespace brickwork {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::span<const std::int32_t> Subtrees::operator()(const Forest& forest, std::span<const std::int32_t> height,
                                                   std::span<const std::int32_t> by_height, std::int32_t threads) {
  owner_.assign(at(forest.nodes()), kShared);
  load_.assign(at(threads), 0);
  count_inner_nodes(forest, height, by_height);
  if (forest.kind == StructureKind::dag) {
    deal_structures(forest);
  } else {
    cut(forest, threads);
    deal();
    for (const std::int32_t node : by_height) {
      for (const std::int32_t child : forest.children_of(node)) {
        if (owner_[at(node)] != kShared) owner_[at(child)] = owner_[at(node)];
      }
    }
  }
  for (const std::int32_t node : by_height) {
    if (height[at(node)] == 0) owner_[at(node)] = kShared;
  }
  return owner_;
}

void Subtrees::count_inner_nodes(const Forest& forest, std::span<const std::int32_t> height,
                                 std::span<const std::int32_t> by_height) {
  inner_.assign(at(forest.nodes()), 0);
  std::vector<std::int32_t>& has_parent = owner_;  // in the meantime
  for (auto node = by_height.rbegin(); node != by_height.rend(); ++node) {
    if (height[at(*node)] > 0) inner_[at(*node)] = 1;
    for (const std::int32_t child : forest.children_of(*node)) {
      inner_[at(*node)] += inner_[at(child)];
      has_parent[at(child)] = 0;
    }
  }
  roots_.clear();
  for (const std::int32_t node : by_height) {
    if (has_parent[at(node)] == kShared) roots_.push_back(node);
    has_parent[at(node)] = kShared;
  }
}

// Cuts the largest piece into its root's subtrees until no piece is larger than half of a thread's share.
void Subtrees::cut(const Forest& forest, std::int32_t threads) {
  std::int64_t all = 0;
  pieces_.clear();
  for (const std::int32_t root : roots_) {
    all += inner_[at(root)];
    pieces_.emplace_back(inner_[at(root)], root);
  }
  std::ranges::make_heap(pieces_);
  while (!pieces_.empty() && pieces_.front().first > 1 && 2 * threads * std::int64_t{pieces_.front().first} > all) {
    std::ranges::pop_heap(pieces_);
    const std::int32_t root = pieces_.back().second;
    pieces_.pop_back();
    for (const std::int32_t child : forest.children_of(root)) {
      if (inner_[at(child)] == 0) continue;
      pieces_.emplace_back(inner_[at(child)], child);
      std::ranges::push_heap(pieces_);
    }
  }
}

// The largest pieces first, each to the thread that has least.
void Subtrees::deal() {
  std::ranges::sort(pieces_, std::greater());
  for (const auto& [inner_nodes, root] : pieces_) owner_[at(root)] = give(inner_nodes);
}

void Subtrees::deal_structures(const Forest& forest) {
  for (std::int32_t s = 0; s < forest.structures(); ++s) {
    const std::int32_t first = forest.first_node[at(s)], end = forest.first_node[at(s) + 1];
    const std::int32_t owner = give(end - first);
    std::fill(owner_.begin() + first, owner_.begin() + end, owner);
  }
}

std::int32_t Subtrees::give(std::int32_t inner_nodes) {
  const auto least = std::ranges::min_element(load_);
  *least += inner_nodes;
  return static_cast<std::int32_t>(least - load_.begin());
}

}  // namespace brickwork
