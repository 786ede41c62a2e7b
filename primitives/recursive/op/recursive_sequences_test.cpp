// Cells over sequences against recurrent layers (primitives/rnn), which have a definition of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "primitives/op/defined.hpp"
#include "primitives/recursive/op/cells.hpp"
#include "primitives/recursive/op/testing/cell_case.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

using Values = std::vector<double>;

// What a sequence's cell and a recurrent layer of one direction have in common.
struct SameLayer {
  RecursiveModel model;
  const char* cell;
  std::string gates;
};

constexpr std::int64_t kSteps = 5, kSequences = 3, kFeatures = 4;

// A row of a sequence's node, numbered by sequence and then by step, and a row of the layer, by step and then sequence.
void for_each_row(const std::function<void(std::int64_t of_cell, std::int64_t of_layer)>& with) {
  for (std::int64_t n = 0; n < kSequences; ++n) {
    for (std::int64_t t = 0; t < kSteps; ++t) with((n * kSteps + t) * kFeatures, (t * kSequences + n) * kFeatures);
  }
}

Values by_step(const double* of_nodes) {
  Values steps(kSteps * kSequences * kFeatures);
  for_each_row(
      [&](auto of_cell, auto of_layer) { std::copy_n(of_nodes + of_cell, kFeatures, steps.begin() + of_layer); });
  return steps;
}

Values last_steps(const double* of_nodes) {
  const Values steps = by_step(of_nodes);
  return Values(steps.end() - kSequences * kFeatures, steps.end());
}

// [rows][gate][K] of the tensors that `name(gate)` names.
Values with_gates(const SameLayer& same, const PlainTensors& tensors, std::int64_t rows,
                  const std::function<std::string(char)>& name) {
  Values all;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const char gate : same.gates) {
      const double* const from = tensors.at<double>(name(gate)) + row * kFeatures;
      all.insert(all.end(), from, from + kFeatures);
    }
  }
  return all;
}

template <Operation Op>
Defined<Op> layer_of(const SameLayer& same, const CellCase& test) {
  Defined<Op> layer(parse_problem<RnnProblem>(fmt::format("T{} N{} C{} {}", kSteps, kSequences, kFeatures, same.cell)));
  layer.with("x", by_step(test.in.at<double>("x")));
  layer.with("weights_layer.0", with_gates(same, test.in, kFeatures, [](char g) { return fmt::format("W_{}", g); }));
  layer.with("weights_iter.0", with_gates(same, test.in, kFeatures, [](char g) { return fmt::format("U_{}", g); }));
  layer.with("bias.0", with_gates(same, test.in, 1, [](char g) { return fmt::format("b_{}", g); }));
  return layer;
}

void expect_equal(const Values& found, const Values& right, const std::string& what) {
  ASSERT_EQ(found.size(), right.size()) << what;
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], 1e-12) << what << " " << i;
}

TEST(RecursiveDefinition, SequencesAgreeWithRecurrentLayers) {
  for (const SameLayer& same :
       {SameLayer{RecursiveModel::lstm, "lstm", "ifgo"}, SameLayer{RecursiveModel::gru, "gru", "uro"}}) {
    CellCase test(cell_of(same.model), kFeatures, sequences(kSequences, kSteps));
    const bool has_c = same.model == RecursiveModel::lstm;
    // A layer takes gradients of c after the last step only.
    for (std::int64_t node = 0; has_c && node < test.forest.nodes(); ++node) {
      if (node % kSteps != kSteps - 1) std::fill_n(test.row("dc", node), kFeatures, 0.0);
    }
    const PlainTensors states = test.forward(), d = test.backward();
    auto forward = layer_of<RnnForwardOp>(same, test);
    forward.run();
    expect_equal(by_step(states.at<double>("h")), forward["y"], "h");
    if (has_c) expect_equal(last_steps(states.at<double>("c")), forward["cT"], "c");

    auto backward = layer_of<RnnBackwardOp>(same, test);
    backward.with("dy", by_step(test.in.at<double>("dh")));
    if (has_c) backward.with("dcT", last_steps(test.in.at<double>("dc")));
    backward.run();
    expect_equal(by_step(d.at<double>("dx")), backward["dx"], "dx");
    const auto expect_equal_gradients = [&](std::string_view of_cell, std::string_view of_layer, std::int64_t rows) {
      const auto name = [&](char gate) { return fmt::format("{}_{}.gradient", of_cell, gate); };
      expect_equal(with_gates(same, d, rows, name), backward[fmt::format("{}.0.gradient", of_layer)],
                   std::string(of_layer));
    };
    expect_equal_gradients("W", "weights_layer", kFeatures);
    expect_equal_gradients("U", "weights_iter", kFeatures);
    expect_equal_gradients("b", "bias", 1);
  }
}

}  // namespace
}  // namespace brickwork
