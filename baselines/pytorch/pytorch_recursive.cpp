#include "baselines/pytorch/pytorch_recursive.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "baselines/pytorch/pytorch_cell.hpp"
#include "baselines/pytorch/pytorch_tensors.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"
#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork::pytorch {
namespace {

using at::Tensor;

std::vector<std::int64_t> dims_of(std::int64_t rows, std::int64_t H, bool matrix) {
  return matrix ? std::vector{rows, H, H} : std::vector{rows, H};
}

Tensor numbers(std::span<const std::int32_t> list) {
  return at::from_blob(const_cast<std::int32_t*>(list.data()), {std::ssize(list)}, at::kInt);
}

// A node by itself.
class OneNode final : public NodeBatch {
 public:
  // States are [state][node].
  OneNode(const std::vector<std::vector<Tensor>>& states, const std::vector<Tensor>& zeros, std::int32_t number,
          std::int32_t leaf, std::span<const std::int32_t> children)
      : states_(states), zeros_(zeros), number_(number), leaf_(leaf), children_(children) {}

  bool leaves() const override { return children_.empty(); }
  std::size_t number(bool among_leaves) const override {
    return static_cast<std::size_t>(among_leaves ? leaf_ : number_);
  }
  Tensor child(int state, int position) const override {
    const auto at = static_cast<std::size_t>(position);
    return at < children_.size() ? state_of(state, children_[at]) : zeros_[static_cast<std::size_t>(state)];
  }
  Tensor each_child(int state) const override {
    if (children_.size() == 1) return state_of(state, children_[0]);
    std::vector<Tensor> all;
    for (const std::int32_t child : children_) all.push_back(state_of(state, child));
    return at::cat(all);
  }
  Tensor sum_of_children(const Tensor& of_edges) const override {
    return children_.size() == 1 ? of_edges : of_edges.sum(0, /*keepdim=*/true);
  }
  Tensor for_edges(const Tensor& of_nodes) const override { return of_nodes; }  // operators broadcast it

 private:
  const Tensor& state_of(int state, std::int32_t node) const {
    return states_[static_cast<std::size_t>(state)][static_cast<std::size_t>(node)];
  }

  const std::vector<std::vector<Tensor>>& states_;
  const std::vector<Tensor>& zeros_;
  std::int32_t number_, leaf_;
  std::span<const std::int32_t> children_;
};

// The nodes of a level. All rows are in the order of places.
class NodesOfLevel final : public NodeBatch {
 public:
  // States are [state]: a row of zeros, then one for each place.
  NodesOfLevel(const Levels& levels, std::size_t number, const std::vector<Tensor>& states)
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

  bool leaves() const override { return level_.begin == levels_.first_leaf; }
  std::size_t number(bool among_leaves) const override { return among_leaves ? 0 : number_; }
  Tensor child(int state, int position) const override {
    const auto first = levels_.child_at.begin() + std::int64_t{position} * levels_.nodes + level_.begin;
    const Tensor places = numbers(std::span(first, first + level_.size()));
    const bool all = std::find(first, first + level_.size(), kNoChild) == first + level_.size();
    return all ? of_places(state).index_select(0, places)
               : states_[static_cast<std::size_t>(state)].index_select(0, places + 1);
  }
  Tensor each_child(int state) const override {
    return of_places(state).index_select(0, numbers(of_level(levels_.child)));
  }
  // Nodes with equally many children need no list of parents.
  Tensor sum_of_children(const Tensor& of_edges) const override {
    if (edges_ == level_.size() && same_number_) return of_edges;
    if (same_number_) return of_edges.unflatten(0, {level_.size(), each_count()}).sum(1);
    std::vector<std::int64_t> dims = of_edges.sizes().vec();
    dims.front() = level_.size();
    return at::zeros(dims, of_edges.options()).index_add(0, parents(), of_edges);
  }
  Tensor for_edges(const Tensor& of_nodes) const override {
    if (!same_number_) return of_nodes.index_select(0, parents());
    return edges_ == level_.size() ? of_nodes : of_nodes.repeat_interleave(each_count(), 0);
  }

 private:
  std::int32_t first_edge_of(std::int32_t place) const { return levels_.first_edge[static_cast<std::size_t>(place)]; }
  std::int64_t each_count() const { return edges_ / level_.size(); }
  std::span<const std::int32_t> of_level(const std::vector<std::int32_t>& edges) const {
    return std::span(edges).subspan(static_cast<std::size_t>(edge_), static_cast<std::size_t>(edges_));
  }
  Tensor parents() const { return numbers(of_level(levels_.parent)) - level_.begin; }
  Tensor of_places(int state) const { return states_[static_cast<std::size_t>(state)].narrow(0, 1, levels_.nodes); }

  const Levels& levels_;
  const std::size_t number_;
  const Level level_;
  const std::vector<Tensor>& states_;
  std::int64_t edge_, edges_ = 0;
  bool same_number_ = true;
};

class RecursiveModelOf : public Prepared, protected Batches {
 public:
  RecursiveModelOf(const RecursiveProblem& p, bool training, const PlainTensors& inputs)
      : cell_(p.cell()),
        H_(p.H),
        forest_(p.forest()),
        training_(training),
        inputs_(inputs),
        module_(p.cell(), p.H, inputs, training) {}

  void pack() override {
    in_one_sentence([&] { module_.pack(); });
  }

  void run() override {
    in_one_sentence([&] {
      const c10::InferenceMode inference(!training_);
      forward();
      if (training_) gradients_ = torch::autograd::grad(results(), module_.parameters(), upstream(), {}, false, true);
    });
  }

  void unpack(PlainTensors& outputs) override {
    const torch::NoGradGuard values_alone;
    if (training_) return module_.unpack(gradients_, outputs);
    const std::vector<Tensor> states = results();
    for (std::size_t s = 0; s < states.size(); ++s) {
      view(outputs, cell_.states()[s].name).copy_(ordered_by_node(states[s]));
    }
  }

  std::string isa() const override { return pytorch::isa(); }

 protected:
  virtual void forward() = 0;
  virtual std::vector<Tensor> results() const = 0;                     // each state of all nodes
  virtual Tensor ordered_as_results(const Tensor& by_node) const = 0;  // and back:
  virtual Tensor ordered_by_node(const Tensor& results) const = 0;

  std::vector<Tensor> upstream() const {
    std::vector<Tensor> all;
    for (const Cell::StateOf& state : cell_.states()) {
      all.push_back(ordered_as_results(view(inputs_, recursive_ops::gradient_of_values(state.name))));
    }
    return all;
  }
  Tensor zeros(std::int64_t rows, const Cell::StateOf& state) const {
    return at::zeros(dims_of(rows, H_, state.matrix), view(inputs_, inputs_.infos().front().name).options());
  }

  const Cell& cell_;
  const std::int64_t H_;
  const std::shared_ptr<const Forest> forest_;
  const bool training_;
  const PlainTensors& inputs_;
  CellModule module_;
  std::vector<Tensor> gradients_;
};

class Recursion final : public RecursiveModelOf {
 public:
  Recursion(const RecursiveProblem& p, bool training, const PlainTensors& inputs)
      : RecursiveModelOf(p, training, inputs), states_(cell_.states().size()) {
    std::int32_t leaves = 0;
    for (std::int32_t node = 0; node < forest_->nodes(); ++node) {
      leaf_.push_back(leaves);
      if (forest_->children_of(node).empty()) ++leaves;
    }
  }

  std::string implementation() const override { return "eager:recursion"; }

 private:
  void forward() override {
    module_.begin(*this);
    zeros_.clear();
    for (const Cell::StateOf& state : cell_.states()) zeros_.push_back(zeros(1, state));
    for (auto& of_nodes : states_) of_nodes.assign(static_cast<std::size_t>(forest_->nodes()), Tensor());
    for (std::int32_t node = 0; node < forest_->nodes(); ++node) visit(node);
  }

  Tensor ordered(const Tensor& rows, bool) const override { return rows; }
  std::vector<Tensor> parts(const Tensor& ordered, bool) const override { return ordered.split(1); }

  void visit(std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    if (states_.front()[at].defined()) return;
    const auto children = forest_->children_of(node);
    for (const std::int32_t child : children) visit(child);
    const auto states = module_.states_of(OneNode(states_, zeros_, node, leaf_[at], children));
    for (std::size_t s = 0; s < states.size(); ++s) states_[s][at] = states[s];
  }

  std::vector<Tensor> results() const override {
    std::vector<Tensor> all;
    for (const auto& of_nodes : states_) all.push_back(at::cat(of_nodes));
    return all;
  }
  Tensor ordered_as_results(const Tensor& by_node) const override { return by_node; }
  Tensor ordered_by_node(const Tensor& results) const override { return results; }

  std::vector<std::int32_t> leaf_;  // [node]: the number of leaves before it
  std::vector<std::vector<Tensor>> states_;
  std::vector<Tensor> zeros_;
};

class LevelByLevel final : public RecursiveModelOf {
 public:
  LevelByLevel(const RecursiveProblem& p, bool training, const PlainTensors& inputs)
      : RecursiveModelOf(p, training, inputs),
        linearizer_(std::numeric_limits<std::int32_t>::max(), p.cell().positions()) {}

  std::string implementation() const override { return "eager:levels"; }

 private:
  void forward() override {
    levels_ = &linearizer_(*forest_);
    module_.begin(*this);
    states_.clear();
    for (const Cell::StateOf& state : cell_.states()) states_.push_back(zeros(levels_->nodes + 1, state));
    for (std::size_t l = 0; l < levels_->levels.size(); ++l) {
      const Level& level = levels_->levels[l];
      const auto states = module_.states_of(NodesOfLevel(*levels_, l, states_));
      for (std::size_t s = 0; s < states.size(); ++s)
        states_[s].narrow(0, 1 + level.begin, level.size()).copy_(states[s]);
    }
  }

  // Leaves keep their order.
  Tensor ordered(const Tensor& rows, bool of_leaves) const override {
    return of_leaves ? rows : rows.index_select(0, numbers(levels_->node));
  }
  std::vector<Tensor> parts(const Tensor& ordered, bool of_leaves) const override {
    if (of_leaves) return {ordered};
    std::vector<std::int64_t> sizes;
    for (const Level& level : levels_->levels) sizes.push_back(level.size());
    std::ranges::reverse(sizes);  // the last level has the first places
    std::vector<Tensor> parts = ordered.split_with_sizes(sizes);
    std::ranges::reverse(parts);
    return parts;
  }

  std::vector<Tensor> results() const override {
    std::vector<Tensor> all;
    for (const Tensor& state : states_) all.push_back(state.narrow(0, 1, levels_->nodes));
    return all;
  }
  Tensor ordered_as_results(const Tensor& by_node) const override {
    return by_node.index_select(0, numbers(levels_->node));
  }
  Tensor ordered_by_node(const Tensor& results) const override {
    return results.index_select(0, numbers(levels_->place));
  }

  Linearizer linearizer_;
  const Levels* levels_ = nullptr;
  std::vector<Tensor> states_;
};

template <Operation Op>
Contender<Op> contender(const char* name, RecursiveWay way) {
  return {.name = name,
          .library = {.name = "PyTorch", .version = version(), .absent = {}},
          .prepare = [=](const RecursiveProblem& p, const PlainTensors& inputs, const Resources& resources) {
            return prepare_recursive(p, way, std::is_same_v<Op, RecursiveTrainingOp>, inputs, resources);
          }};
}

}  // namespace

template <Operation Op>
Contender<Op> recursion() {
  return contender<Op>("pytorch", RecursiveWay::recursion);
}
template <Operation Op>
Contender<Op> recursive_levels() {
  return contender<Op>("pytorch-levels", RecursiveWay::levels);
}
template Contender<RecursiveInferenceOp> recursion();
template Contender<RecursiveTrainingOp> recursion();
template Contender<RecursiveInferenceOp> recursive_levels();
template Contender<RecursiveTrainingOp> recursive_levels();

Result<PreparedPtr> prepare_recursive(const RecursiveProblem& p, RecursiveWay way, bool training,
                                      const PlainTensors& inputs, const Resources& resources) {
  at::set_num_threads(resources.threads);
  if (way == RecursiveWay::levels) return {std::make_unique<LevelByLevel>(p, training, inputs)};
  return {std::make_unique<Recursion>(p, training, inputs)};
}

}  // namespace brickwork::pytorch
