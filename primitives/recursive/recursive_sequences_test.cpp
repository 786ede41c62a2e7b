// The driver of recursive models over sequences against the driver of recurrent layers.
#include <gtest/gtest.h>

#include "primitives/op/compare.hpp"
#include "primitives/recursive/op/recursive_bounds.hpp"
#include "primitives/recursive/op/testing/same_layer.hpp"
#include "primitives/recursive/structures/structures.hpp"
#include "primitives/recursive/testing/recursive_check.hpp"
#include "primitives/rnn/testing/rnn_check.hpp"

namespace brickwork {
namespace {

using Floats = std::vector<float>;

PlainTensors layers_inputs(const SameLayer& same, const PlainTensors& in, bool has_c) {
  PlainTensors of_layer(RnnBackwardOp::inputs(same.problem()));  // zeros
  const auto set = [&](const char* name, const Floats& values) { std::ranges::copy(values, of_layer.at<float>(name)); };
  set("x", same.by_step(in.at<float>("x")));
  set("weights_layer.0", same.weights<float>(in, 'W'));
  set("weights_iter.0", same.weights<float>(in, 'U'));
  set("bias.0", same.weights<float>(in, 'b'));
  set("dy", same.by_step(in.at<float>("dh")));
  if (has_c) set("dcT", same.last_steps(in.at<float>("dc")));
  return of_layer;
}

// Both have errors of their own.
void expect_close(const Floats& found, const float* right, double bound, const std::string& what) {
  const TensorInfo info{.name = what, .dims = {static_cast<std::int64_t>(found.size())}};
  PlainTensors a({info}), b(with_dtype({info}, DType::f64));
  std::ranges::copy(found, a.at<float>(what));
  std::copy_n(right, found.size(), b.at<double>(what));
  EXPECT_EQ(compare(a, b, {2 * bound, /*of_whole=*/true}).reason, "");
}

void expect_agreement(const SameLayer& same) {
  const RecursiveCase c{&cell_of(same.model), same.features, sequences(same.sequences, same.steps)};
  const bool has_c = same.model == RecursiveModel::lstm;
  const RecursiveCheck check(c);
  PlainTensors in(check.in().infos());
  in.assign(check.in());
  if (has_c) same.clear_gradients_of_c<float>(in);
  Recursive driver = recursive_driver(c, plan_recursive(c.H, {.threads = 2}));
  const RecursiveResults found = driven(c, in, driver);

  const RnnProblem p = same.problem();
  const RnnPlan plan = plan_rnn(p, {.threads = 2});
  const RnnOnHost target(Backend::simd, Isa::best, {});
  const PlainTensors of_layer = layers_inputs(same, in, has_c);
  const PlainTensors forward = run_rnn(p, plan, RnnUse::training, of_layer, target);
  const PlainTensors backward = run_rnn_backward(p, plan, of_layer, target);
  const double bound = recursive_ops::forward_bound(c.H);
  expect_close(same.by_step(found.states.at<float>("h")), forward.at<float>("y"), bound, "h");
  if (has_c) expect_close(same.last_steps(found.states.at<float>("c")), forward.at<float>("cT"), bound, "c");
  const auto expect_gradient = [&](const Floats& of_cell, const char* name) {
    expect_close(of_cell, backward.at<float>(name), recursive_ops::backward_bound(*c.cell, c.H, c.forest), name);
  };
  expect_gradient(same.by_step(found.gradients.at<float>("dx")), "dx");
  expect_gradient(same.weights<float>(found.gradients, 'W', ".gradient"), "weights_layer.0.gradient");
  expect_gradient(same.weights<float>(found.gradients, 'U', ".gradient"), "weights_iter.0.gradient");
  expect_gradient(same.weights<float>(found.gradients, 'b', ".gradient"), "bias.0.gradient");
}

TEST(RecursiveSequences, AgreeWithTheDriverOfRecurrentLayers) {
  for (const auto& [steps, count, H] : {std::tuple(1, 1, 20), std::tuple(7, 3, 16), std::tuple(20, 10, 65)}) {
    expect_agreement(same_lstm(steps, count, H));
    expect_agreement(same_gru(steps, count, H));
  }
}

}  // namespace
}  // namespace brickwork
