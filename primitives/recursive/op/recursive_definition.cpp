#include "primitives/recursive/op/recursive_definition.hpp"

#include <algorithm>
#include <string>

#include "primitives/op/compare.hpp"
#include "primitives/op/on_threads.hpp"
#include "primitives/recursive/op/recursive_node.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork {
namespace {

using recursive_node::CellAtNode;
using recursive_node::Gradients;
using recursive_node::Node;
using recursive_node::Tensors;
using recursive_node::Values;

class RecursiveDefinition {
 public:
  // States are those of `states`.
  RecursiveDefinition(const Cell& cell, std::int64_t H, const Forest& forest, const PlainTensors& in,
                      PlainTensors& states)
      : cell_(cell), H_(H), forest_(forest) {
    for (const Cell::Input& input : cell.inputs()) tensors_.inputs.push_back(in.at<double>(input.name));
    for (const std::string& weight : cell.weights()) tensors_.weights.push_back(in.at<double>(weight));
    for (const std::string& bias : cell.biases()) tensors_.biases.push_back(in.at<double>(bias));
    for (const Cell::StateOf& state : cell.states()) tensors_.states.push_back(states.at<double>(state.name));
    std::int32_t leaves = 0;
    for (std::int32_t node = 0; node < forest.nodes(); ++node) {
      leaf_.push_back(leaves);
      if (forest.children_of(node).empty()) ++leaves;
    }
  }

  void forward() const {
    on_threads(forest_.structures(), [&](std::int64_t structure) {
      CellAtNode at_node(cell_, H_, tensors_);
      for (const Node& node : children_first(structure)) at_node.forward(node);
    });
  }

  // After forward(). `d_states` has the upstream gradients, and gets those from a node's parents in addition.
  void backward(PlainTensors& d_states, PlainTensors& out) {
    for (const double* const weight : tensors_.weights) {
      tensors_.transposed_weights.push_back(recursive_node::transposed(weight, H_));
    }
    for (std::int64_t first = 0; first < forest_.structures(); first += kTogether) {
      const std::int64_t count = std::min(kTogether, forest_.structures() - first);
      std::vector<Gradients> of_structures(static_cast<std::size_t>(count), gradients(d_states, out));
      on_threads(count, [&](std::int64_t i) {
        CellAtNode at_node(cell_, H_, tensors_);
        std::vector<Node> parents_first = children_first(first + i);
        std::ranges::reverse(parents_first);
        for (const Node& node : parents_first) at_node.backward(node, of_structures[static_cast<std::size_t>(i)]);
      });
      add_sums(of_structures, out);
    }
  }

 private:
  static constexpr std::int64_t kTogether = 16;  // structures whose rows of weights are kept at once: bounds memory

  // The nodes of a structure in the order in which a recursion from its roots finishes them. A recursion in code would
  // need more of the thread's stack than there is: a structure may be a sequence of thousands of nodes.
  std::vector<Node> children_first(std::int64_t structure) const {
    struct Visit {
      std::int32_t node;
      std::size_t children_done;
    };
    std::vector<Node> order;
    std::vector<Visit> stack;
    const auto s = static_cast<std::size_t>(structure);
    const std::int32_t begin = forest_.first_node[s], end = forest_.first_node[s + 1];
    std::vector<bool> seen(static_cast<std::size_t>(end - begin));
    const auto visit = [&](std::int32_t node) {
      if (seen[static_cast<std::size_t>(node - begin)]) return;
      seen[static_cast<std::size_t>(node - begin)] = true;
      stack.push_back({node, 0});
    };
    for (std::int32_t node = begin; node < end; ++node) {
      visit(node);
      while (!stack.empty()) {
        Visit& now = stack.back();
        const auto children = forest_.children_of(now.node);
        if (now.children_done < children.size()) {
          visit(children[now.children_done++]);
        } else {
          order.push_back({now.node, leaf_[static_cast<std::size_t>(now.node)], children});
          stack.pop_back();
        }
      }
    }
    return order;
  }

  Gradients gradients(PlainTensors& d_states, PlainTensors& out) const {
    Gradients d;
    for (const Cell::Input& input : cell_.inputs()) {
      d.inputs.push_back(out.at<double>(recursive_ops::gradient_of_values(input.name)));
    }
    for (const Cell::StateOf& state : cell_.states()) {
      d.states.push_back(d_states.at<double>(recursive_ops::gradient_of_values(state.name)));
    }
    d.biases.assign(cell_.biases().size(), Values(static_cast<std::size_t>(H_), 0.0));
    d.weights.resize(cell_.weights().size());
    return d;
  }

  // Adds in the order of the structures, whatever thread they were on.
  void add_sums(const std::vector<Gradients>& of_structures, PlainTensors& out) const {
    for (std::size_t b = 0; b < cell_.biases().size(); ++b) {
      double* const bias = out.at<double>(recursive_ops::gradient_of_parameter(cell_.biases()[b]));
      for (const Gradients& d : of_structures) recursive_node::add(d.biases[b].data(), H_, bias);
    }
    constexpr std::int64_t kRows = 8;  // of a weight, in a task
    for (std::size_t w = 0; w < cell_.weights().size(); ++w) {
      double* const weight = out.at<double>(recursive_ops::gradient_of_parameter(cell_.weights()[w]));
      on_threads((H_ + kRows - 1) / kRows, [&](std::int64_t task) {
        const std::int64_t first = task * kRows, end = std::min(H_, first + kRows);
        for (const Gradients& d : of_structures) {
          const auto& [rows, gradients] = d.weights[w];
          recursive_node::add_outer_products(rows.data(), gradients.data(), std::ssize(rows) / H_, H_, first, end,
                                             weight);
        }
      });
    }
  }

  const Cell& cell_;
  std::int64_t H_;
  const Forest& forest_;
  Tensors tensors_;
  std::vector<std::int32_t> leaf_;  // [node]: the number of leaves before it
};

}  // namespace

void define_recursive_forward(const Cell& cell, std::int64_t H, const Forest& forest, const PlainTensors& in,
                              PlainTensors& out) {
  RecursiveDefinition(cell, H, forest, in, out).forward();
}

void define_recursive_backward(const Cell& cell, std::int64_t H, const Forest& forest, const PlainTensors& in,
                               PlainTensors& out) {
  PlainTensors states(with_dtype(recursive_ops::results(cell, H, forest), DType::f64));
  PlainTensors d_states(with_dtype(recursive_ops::upstream(cell, H, forest), DType::f64));
  for (const TensorInfo& info : d_states.infos()) {
    std::ranges::copy(in.values<double>(info.name), d_states.at<double>(info.name));
  }
  fill_with_zeros(out);
  RecursiveDefinition definition(cell, H, forest, in, states);
  definition.forward();
  definition.backward(d_states, out);
}

}  // namespace brickwork
