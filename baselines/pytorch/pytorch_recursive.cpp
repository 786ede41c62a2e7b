#include "baselines/pytorch/pytorch_recursive.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "baselines/pytorch/pytorch_batches.hpp"
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
