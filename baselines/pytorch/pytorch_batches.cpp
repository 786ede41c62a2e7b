#include "baselines/pytorch/pytorch_batches.hpp"

#include <algorithm>

namespace brickwork::pytorch {

using at::Tensor;

Tensor numbers(std::span<const std::int32_t> list) {
  return at::from_blob(const_cast<std::int32_t*>(list.data()), {std::ssize(list)}, at::kInt);
}

Tensor OneNode::child(int state, int position) const {
  const auto at = static_cast<std::size_t>(position);
  return at < children_.size() ? state_of(state, children_[at]) : zeros_[static_cast<std::size_t>(state)];
}

Tensor OneNode::each_child(int state) const {
  if (children_.size() == 1) return state_of(state, children_[0]);
  std::vector<Tensor> all;
  for (const std::int32_t child : children_) all.push_back(state_of(state, child));
  return at::cat(all);
}

Tensor OneNode::sum_of_children(const Tensor& of_edges) const {
  return children_.size() == 1 ? of_edges : of_edges.sum(0, /*keepdim=*/true);
}

NodesOfLevel::NodesOfLevel(const Levels& levels, std::size_t number, const std::vector<Tensor>& states)
    : levels_(levels),
      number_(number),
      level_(levels.levels[number]),
      states_(states),
      edge_(first_edge_of(level_.begin)) {
  edges_ = first_edge_of(level_.end) - edge_;
  for (std::int32_t place = level_.begin; place < level_.end && same_number_; ++place) {
    same_number_ = (first_edge_of(place + 1) - edge_) == each_count() * (place + 1 - level_.begin);
  }
}

std::span<const std::int32_t> NodesOfLevel::of_level(const std::vector<std::int32_t>& edges) const {
  return std::span(edges).subspan(static_cast<std::size_t>(edge_), static_cast<std::size_t>(edges_));
}

Tensor NodesOfLevel::child(int state, int position) const {
  const auto first = levels_.child_at.begin() + std::int64_t{position} * levels_.nodes + level_.begin;
  const Tensor places = numbers(std::span(first, first + level_.size()));
  static_assert(kNoChild == -1);  // then the row of zeros is the one before the first place
  if (std::find(first, first + level_.size(), kNoChild) == first + level_.size()) {
    return of_places(state).index_select(0, places);
  }
  return states_[static_cast<std::size_t>(state)].index_select(0, places + 1);
}

Tensor NodesOfLevel::each_child(int state) const {
  return of_places(state).index_select(0, numbers(of_level(levels_.child)));
}

Tensor NodesOfLevel::sum_of_children(const Tensor& of_edges) const {
  if (same_number_ && each_count() == 1) return of_edges;
  if (same_number_) return of_edges.unflatten(0, {level_.size(), each_count()}).sum(1);
  std::vector<std::int64_t> dims = of_edges.sizes().vec();
  dims.front() = level_.size();
  return at::zeros(dims, of_edges.options()).index_add(0, parents(), of_edges);
}

Tensor NodesOfLevel::for_edges(const Tensor& of_nodes) const {
  if (!same_number_) return of_nodes.index_select(0, parents());
  return each_count() == 1 ? of_nodes : of_nodes.repeat_interleave(each_count(), 0);
}

}  // namespace brickwork::pytorch
