#include "primitives/recursive/op/recursive_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "primitives/op/test_data.hpp"
#include "primitives/recursive/op/recursive_definition.hpp"
#include "primitives/recursive/op/recursive_flops.hpp"
#include "primitives/recursive/op/testing/cell_case.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;
using Dims = std::vector<std::int64_t>;

RecursiveProblem recursive_problem(const std::string& text) { return parse_problem<RecursiveProblem>(text); }

Dims dims_of(const std::vector<TensorInfo>& infos, std::string_view name) {
  const auto found = std::ranges::find(infos, name, &TensorInfo::name);
  return found == infos.end() ? Dims{} : found->dims;
}

std::vector<std::string> names_of(const std::vector<TensorInfo>& infos) {
  std::vector<std::string> names;
  for (const TensorInfo& info : infos) names.push_back(info.name);
  return names;
}

TEST(RecursiveOps, HasATensorForEachNameOfTheCell) {
  const auto p = recursive_problem("tree-lstm perfect S2 H5 N3");
  EXPECT_THAT(names_of(RecursiveInferenceOp::inputs(p)),
              ElementsAre("x_i", "x_o", "x_u", "x_f", "U_i", "U_o", "U_u", "U_f", "b_i", "b_o", "b_u", "b_f"));
  EXPECT_THAT(names_of(RecursiveInferenceOp::outputs(p)), ElementsAre("h", "c"));
  EXPECT_EQ(dims_of(RecursiveInferenceOp::inputs(p), "x_f"), (Dims{21, 5}));
  EXPECT_EQ(dims_of(RecursiveInferenceOp::outputs(p), "c"), (Dims{21, 5}));
  const auto training = RecursiveTrainingOp::inputs(p), gradients = RecursiveTrainingOp::outputs(p);
  EXPECT_EQ(training.size(), 14u);
  EXPECT_EQ(dims_of(training, "dc"), (Dims{21, 5}));
  EXPECT_EQ(dims_of(gradients, "dx_i"), (Dims{21, 5}));
  EXPECT_EQ(dims_of(gradients, "U_i.gradient"), (Dims{5, 5}));
  EXPECT_EQ(dims_of(gradients, "b_f.gradient"), (Dims{5}));
}

TEST(RecursiveOps, InputsOfLeavesHaveARowForEachLeaf) {
  const auto p = recursive_problem("mv-rnn perfect S2 H5 N3");
  const auto inputs = RecursiveTrainingOp::inputs(p);
  EXPECT_EQ(dims_of(inputs, "x"), (Dims{12, 5}));
  EXPECT_EQ(dims_of(inputs, "X"), (Dims{12, 5, 5}));
  EXPECT_EQ(dims_of(inputs, "dP"), (Dims{21, 5, 5}));
  EXPECT_EQ(dims_of(RecursiveTrainingOp::outputs(p), "dX"), (Dims{12, 5, 5}));
}

// Products of a row with a matrix H x H.
double products(RecursiveModel model, const ChildrenLists& structure, bool backward = false) {
  constexpr std::int64_t H = 7;
  const Cell& cell = cell_of(model);
  const Forest forest = forest_with(cell.kind(), {structure});
  const double flops =
      backward ? recursive_ops::backward_flops(cell, H, forest) : recursive_ops::forward_flops(cell, H, forest);
  return flops / (2.0 * H * H);
}

TEST(RecursiveOps, CountsTheProductsThatDoNotVanish) {
  const ChildrenLists tree{{1, 2, 3}, {}, {4}, {}, {}}, binary{{1, 2}, {3}, {}, {}}, sequence{{}, {0}, {1}};
  EXPECT_EQ(products(RecursiveModel::tree_lstm, tree), 2 * 3 + 4);  // 2 nodes that are no leaves, 4 edges
  EXPECT_EQ(products(RecursiveModel::tree_gru, tree), 2 * 3);
  EXPECT_EQ(products(RecursiveModel::tree_rnn, tree), 2);
  EXPECT_EQ(products(RecursiveModel::tree_fc, binary), 2 + 1);  // a node lacks its second child
  EXPECT_EQ(products(RecursiveModel::nary_tree_lstm, binary), 10 + 5);
  EXPECT_EQ(products(RecursiveModel::mv_rnn, binary), (4 + 2 * 7) + 7);
  EXPECT_EQ(products(RecursiveModel::lstm, sequence), 3 + 2 * 8);  // the first step has no product with h and no f
  EXPECT_EQ(products(RecursiveModel::gru, sequence), 2 + 2 * 6);
  EXPECT_EQ(products(RecursiveModel::dag_rnn, {{1, 1}, {2}, {}}), 2);
}

TEST(RecursiveOps, BackwardDoesTwiceTheProducts) {
  const ChildrenLists sequence{{}, {0}, {1}};
  for (const ModelOf& model : recursive_models()) {
    EXPECT_EQ(products(model.model, sequence, true), 2 * products(model.model, sequence)) << model.name;
  }
  const auto p = recursive_problem("tree-lstm H8 N3");
  EXPECT_EQ(RecursiveTrainingOp::flops(p), 3 * RecursiveInferenceOp::flops(p));
}

TEST(RecursiveOps, ProductsWithBiasesHaveNoGradientOfARow) {
  Cell cell("of biases", StructureKind::tree, 0);
  cell.set(cell.state("h"), cell.input("x") + cell.bias("b") * cell.weight("U"));
  const Forest forest = forest_with(StructureKind::tree, {{{}}});
  EXPECT_EQ(recursive_ops::backward_flops(cell, 3, forest), recursive_ops::forward_flops(cell, 3, forest));
}

// The verdict on a contender that takes `forest` for the problem's, after `change` has changed its inputs.
template <Operation Op>
Verdict verdict_on(
    const RecursiveProblem& p, const Forest& forest,
    const std::function<void(PlainTensors&)>& change = [](PlainTensors&) {}) {
  const TestData data = make_checkable_test_data<Op>(p, Fill::floats);
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64)), out(with_dtype(Op::outputs(p), DType::f64));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    std::ranges::copy(data.inputs.values<float>(i), in.values<double>(i).begin());
  }
  change(in);
  if constexpr (std::same_as<Op, RecursiveTrainingOp>) {
    define_recursive_backward(p.cell(), p.H, forest, in, out);
  } else {
    define_recursive_forward(p.cell(), p.H, forest, in, out);
  }
  return compare(out, data.expected, data.tolerance);
}

// The last child of the first node where this is possible becomes a child of that child.
Forest with_a_wrong_child(Forest forest) {
  for (std::int32_t node = 0; node < forest.nodes(); ++node) {
    const auto children = forest.children_of(node);
    if (children.empty() || forest.children_of(children.back()).empty()) continue;
    const std::int32_t grandchild = forest.children_of(children.back())[0];
    forest.children[static_cast<std::size_t>(forest.first_child[static_cast<std::size_t>(node) + 1] - 1)] = grandchild;
    break;
  }
  return forest;
}

template <Operation Op>
void expect_wrong_structures_fail(const std::string& text) {
  const auto p = recursive_problem(text);
  const Forest& right = *p.forest();
  EXPECT_EQ(verdict_on<Op>(p, right).status, Status::ok) << text;
  EXPECT_EQ(verdict_on<Op>(p, with_a_wrong_child(right)).status, Status::failed) << text << ": a wrong child";
  const auto expect_failed = [&](const char* what, const std::function<void(PlainTensors&)>& change) {
    EXPECT_EQ(verdict_on<Op>(p, right, change).status, Status::failed) << text << ": " << what;
  };
  expect_failed("two nodes' inputs swapped", [&](PlainTensors& in) {
    for (const Cell::Input& input : p.cell().inputs()) {
      double* const x = in.at<double>(input.name);
      std::swap_ranges(x, x + p.H, x + p.H);
    }
  });
  expect_failed("a wrong bias", [&](PlainTensors& in) { *in.at<double>(p.cell().biases()[0]) += 0.1; });
}

TEST(RecursiveOps, AWrongStructureFails) {
  for (const char* text : {"tree-fc perfect S4 H8 N2", "tree-rnn H8 N2", "tree-lstm H8 N2", "nary-tree-lstm H8 N2",
                           "tree-gru H8 N2", "simple-tree-gru H8 N2", "mv-rnn H8 N2", "dag-rnn grids S4 H8",
                           "lstm sequences S9 H8", "gru sequences S9 H8"}) {
    expect_wrong_structures_fail<RecursiveInferenceOp>(text);
    expect_wrong_structures_fail<RecursiveTrainingOp>(text);
  }
}

double root_mean_square(std::span<const double> values) {
  double squares = 0;
  for (const double x : values) squares += x * x;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// States and the gradients of inputs, whose sums do not grow with the number of nodes.
TEST(RecursiveOps, StatesNeitherVanishNorExplode) {
  for (const char* text :
       {"tree-fc perfect H16", "tree-fc H16 N4", "tree-rnn H16 N4", "tree-lstm H16 N4", "tree-lstm sequences S1000 H16",
        "nary-tree-lstm H16 N4", "tree-gru H16 N4", "tree-gru sequences S1000 H16", "simple-tree-gru H16 N4",
        "mv-rnn H16 N4", "dag-rnn grids S30 H16", "lstm sequences S1000 H16", "gru sequences S1000 H16"}) {
    const auto p = recursive_problem(text);
    TestValues values(Fill::floats, 1, text);
    const PlainTensors in = test_data::draw_inputs<RecursiveTrainingOp>(p, values);
    PlainTensors states(with_dtype(RecursiveInferenceOp::outputs(p), DType::f64));
    PlainTensors gradients(with_dtype(RecursiveTrainingOp::outputs(p), DType::f64));
    RecursiveInferenceOp::reference(p, in, states);
    RecursiveTrainingOp::reference(p, in, gradients);
    for (const Cell::StateOf& state : p.cell().states()) {
      const double size = root_mean_square(states.values<double>(state.name));
      EXPECT_TRUE(size > 0.1 && size < 2) << text << " " << state.name << " " << size;
    }
    for (const Cell::Input& input : p.cell().inputs()) {
      const double size = root_mean_square(gradients.values<double>(recursive_ops::gradient_of_values(input.name)));
      EXPECT_TRUE(size > 1e-3 && size < 2) << text << " d" << input.name << " " << size;
    }
  }
}

}  // namespace
}  // namespace brickwork
