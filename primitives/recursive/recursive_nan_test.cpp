// Where NaN goes: forward to the nodes above it, backward as in the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"
#include "primitives/recursive/structures/testing/random_forest.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"

namespace brickwork {
namespace {

using Nodes = std::set<std::int64_t>;

// The node and all nodes above it.
Nodes with_ancestors(const Forest& forest, std::int64_t node) {
  Nodes found{node};
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (std::int32_t n = 0; n < forest.nodes(); ++n) {
      for (const std::int32_t child : forest.children_of(n)) {
        if (found.contains(child)) found.insert(n);
      }
    }
  }
  return found;
}

std::vector<std::int32_t> leaves_of(const Forest& forest) {
  std::vector<std::int32_t> leaves;
  for (std::int32_t n = 0; n < forest.nodes(); ++n) {
    if (forest.children_of(n).empty()) leaves.push_back(n);
  }
  return leaves;
}

std::int64_t row_size(const TensorInfo& info) { return info.size() / info.dims[0]; }

// Rows that have a NaN.
template <class T>
Nodes nan_rows(const PlainTensors& tensors, std::size_t i) {
  Nodes rows;
  const auto values = tensors.values<T>(i);
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (std::isnan(values[at])) rows.insert(static_cast<std::int64_t>(at) / row_size(tensors.infos()[i]));
  }
  return rows;
}

// Results of a driver and of the definition for a case with NaN in one row of its inputs.
struct WithNaN {
  RecursiveResults found, defined;

  WithNaN(const RecursiveCase& c, const std::string& tensor, std::int64_t row) {
    const RecursiveCheck check(c);
    PlainTensors in(check.in().infos()), in_double(with_dtype(check.in().infos(), DType::f64));
    in.assign(check.in());
    const auto info = std::ranges::find(in.infos(), tensor, &TensorInfo::name);
    std::fill_n(in.at<float>(tensor) + row * row_size(*info), row_size(*info), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < in.infos().size(); ++i) {
      std::ranges::copy(in.values<float>(i), in_double.values<double>(i).begin());
    }
    Recursive driver = recursive_driver(c, plan_recursive(c.H, {.threads = 2}));
    found = driven(c, in, driver);
    defined.states = PlainTensors(with_dtype(found.states.infos(), DType::f64));
    defined.gradients = PlainTensors(with_dtype(found.gradients.infos(), DType::f64));
    define_recursive_forward(*c.cell, c.H, c.forest, in_double, defined.states);
    define_recursive_backward(*c.cell, c.H, c.forest, in_double, defined.gradients);
  }

  void expect_the_definitions_rows(const std::string& what) const {
    for (const auto of : {&RecursiveResults::states, &RecursiveResults::gradients}) {
      const PlainTensors &tensors = found.*of, &right = defined.*of;
      for (std::size_t i = 0; i < right.infos().size(); ++i) {
        EXPECT_EQ(nan_rows<float>(tensors, i), nan_rows<double>(right, i)) << what << " " << right.infos()[i].name;
      }
    }
  }
  Nodes nodes() const {
    Nodes nodes;
    for (std::size_t i = 0; i < found.states.infos().size(); ++i) nodes.merge(nan_rows<float>(found.states, i));
    return nodes;
  }
};

Forest some_forest(const Cell& cell, std::mt19937& random) {
  const std::int32_t most = cell.most_children() == 0 ? 3 : cell.most_children();
  return random_forest({.kind = cell.kind(), .structures = 3, .most_nodes = 9, .most_children = most}, random);
}

bool needs(const Cell& cell, const Cell::Input& input, bool leaf) {
  const std::vector<int> needed = cell.needed(leaf);
  return std::ranges::any_of(needed, [&](int e) {
    const ExprNode& node = cell.graph()[e];
    return node.kind == ExprKind::input && cell.inputs()[static_cast<std::size_t>(node.which)].name == input.name;
  });
}

TEST(RecursiveNaN, InAnInputReachesTheNodesAboveAndNoOthers) {
  std::mt19937 random(1);
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    const RecursiveCase c{&cell, 20, some_forest(cell, random)};
    const auto leaves = leaves_of(c.forest);
    for (const Cell::Input& input : cell.inputs()) {
      const auto rows = static_cast<std::int64_t>(input.of_leaves ? leaves.size() : c.forest.nodes());
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::string what = std::string(model.name) + " " + input.name + " " + std::to_string(row);
        const WithNaN with_nan(c, input.name, row);
        with_nan.expect_the_definitions_rows(what);
        const std::int64_t node = input.of_leaves ? leaves[static_cast<std::size_t>(row)] : row;
        Nodes reached = with_ancestors(c.forest, node);
        // A leaf has no children that a TreeLSTM could forget or a TreeGRU reset.
        if (!needs(cell, input, c.forest.children_of(static_cast<std::int32_t>(node)).empty())) reached.clear();
        EXPECT_EQ(with_nan.nodes(), reached) << what;
      }
    }
  }
}

TEST(RecursiveNaN, InAnUpstreamGradientGoesWhereTheDefinitionSays) {
  std::mt19937 random(2);
  for (const ModelOf& model : recursive_models()) {
    const Cell& cell = cell_of(model.model);
    const RecursiveCase c{&cell, 20, some_forest(cell, random)};
    for (const Cell::StateOf& state : cell.states()) {
      for (std::int64_t node = 0; node < c.forest.nodes(); ++node) {
        WithNaN(c, recursive_ops::gradient_of_values(state.name), node)
            .expect_the_definitions_rows(std::string(model.name) + " d" + state.name + " " + std::to_string(node));
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
