// Cells over sequences against recurrent layers (primitives/rnn), which have a definition of their own.
#include <gtest/gtest.h>

#include "primitives/op/defined.hpp"
#include "primitives/recursive/op/testing/cell_case.hpp"
#include "primitives/recursive/op/testing/same_layer.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

template <Operation Op>
Defined<Op> layer_of(const SameLayer& same, const PlainTensors& in) {
  Defined<Op> layer(same.problem());
  layer.with("x", same.by_step(in.at<double>("x")));
  layer.with("weights_layer.0", same.weights<double>(in, 'W'));
  layer.with("weights_iter.0", same.weights<double>(in, 'U'));
  layer.with("bias.0", same.weights<double>(in, 'b'));
  return layer;
}

void expect_equal(const std::vector<double>& found, const std::vector<double>& right, const std::string& what) {
  ASSERT_EQ(found.size(), right.size()) << what;
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], 1e-12) << what << " " << i;
}

TEST(RecursiveDefinition, SequencesAgreeWithRecurrentLayers) {
  for (const SameLayer& same : {same_lstm(5, 3, 4), same_gru(5, 3, 4)}) {
    CellCase test(cell_of(same.model), same.features, sequences(same.sequences, same.steps));
    const bool has_c = same.model == RecursiveModel::lstm;
    if (has_c) same.clear_gradients_of_c<double>(test.in);
    const PlainTensors states = test.forward(), d = test.backward();
    auto forward = layer_of<RnnForwardOp>(same, test.in);
    forward.run();
    expect_equal(same.by_step(states.at<double>("h")), forward["y"], "h");
    if (has_c) expect_equal(same.last_steps(states.at<double>("c")), forward["cT"], "c");

    auto backward = layer_of<RnnBackwardOp>(same, test.in);
    backward.with("dy", same.by_step(test.in.at<double>("dh")));
    if (has_c) backward.with("dcT", same.last_steps(test.in.at<double>("dc")));
    backward.run();
    expect_equal(same.by_step(d.at<double>("dx")), backward["dx"], "dx");
    expect_equal(same.weights<double>(d, 'W', ".gradient"), backward["weights_layer.0.gradient"], "W");
    expect_equal(same.weights<double>(d, 'U', ".gradient"), backward["weights_iter.0.gradient"], "U");
    expect_equal(same.weights<double>(d, 'b', ".gradient"), backward["bias.0.gradient"], "b");
  }
}

}  // namespace
}  // namespace brickwork
