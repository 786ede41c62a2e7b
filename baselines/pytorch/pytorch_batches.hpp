// Batches of nodes for a cell's module: one node, or the nodes of a level.
#pragma once
#include <torch/torch.h>

#include <span>
#include <vector>

#include "baselines/pytorch/pytorch_cell.hpp"
#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork::pytorch {

// A tensor that shares the list's memory.
at::Tensor numbers(std::span<const std::int32_t> list);

// A node by itself.
class OneNode final : public NodeBatch {
 public:
  // States are [state][node].
  OneNode(const std::vector<std::vector<at::Tensor>>& states, const std::vector<at::Tensor>& zeros, std::int32_t number,
          std::int32_t leaf, std::span<const std::int32_t> children)
      : states_(states), zeros_(zeros), number_(number), leaf_(leaf), children_(children) {}

  bool leaves() const override { return children_.empty(); }
  std::size_t number(bool among_leaves) const override {
    return static_cast<std::size_t>(among_leaves ? leaf_ : number_);
  }
  at::Tensor child(int state, int position) const override;
  at::Tensor each_child(int state) const override;
  at::Tensor sum_of_children(const at::Tensor& of_edges) const override;
  at::Tensor for_edges(const at::Tensor& of_nodes) const override { return of_nodes; }  // operators broadcast it

 private:
  const at::Tensor& state_of(int state, std::int32_t node) const {
    return states_[static_cast<std::size_t>(state)][static_cast<std::size_t>(node)];
  }

  const std::vector<std::vector<at::Tensor>>& states_;
  const std::vector<at::Tensor>& zeros_;
  std::int32_t number_, leaf_;
  std::span<const std::int32_t> children_;
};

// The nodes of a level. All rows are in the order of places.
class NodesOfLevel final : public NodeBatch {
 public:
  // States are [state]: a row of zeros, then one for each place.
  NodesOfLevel(const Levels&, std::size_t number, const std::vector<at::Tensor>& states);

  bool leaves() const override { return level_.begin == levels_.first_leaf; }
  std::size_t number(bool among_leaves) const override { return among_leaves ? 0 : number_; }
  at::Tensor child(int state, int position) const override;
  at::Tensor each_child(int state) const override;
  at::Tensor sum_of_children(const at::Tensor& of_edges) const override;
  at::Tensor for_edges(const at::Tensor& of_nodes) const override;

 private:
  std::int32_t first_edge_of(std::int32_t place) const { return levels_.first_edge[static_cast<std::size_t>(place)]; }
  std::int64_t each_count() const { return edges_ / level_.size(); }
  std::span<const std::int32_t> of_level(const std::vector<std::int32_t>& edges) const;
  at::Tensor parents() const { return numbers(of_level(levels_.parent)) - level_.begin; }
  at::Tensor of_places(int state) const { return states_[static_cast<std::size_t>(state)].narrow(0, 1, levels_.nodes); }

  const Levels& levels_;
  const std::size_t number_;
  const Level level_;
  const std::vector<at::Tensor>& states_;
  std::int64_t edge_, edges_ = 0;
  bool same_number_ = true;  // of children, of all nodes: then no list of parents is needed
};

}  // namespace brickwork::pytorch
