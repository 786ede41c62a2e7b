// The passes of recurrent layers as operations (op.hpp): tensors, work and definitions.
//
// Input tensors, with D = 2 if bidirectional and else 1, C_0 = C, and C_l = D * K for the layers above:
//   x [T][N][C], h0 [L * D][N][K], c0 (LSTM only) as h0, lengths [N] (i32) if they are unequal
//   for each layer l, from 0:  weights_layer.l [D][C_l][G][K], weights_iter.l [D][K][G][K], bias.l [D][B][K]
// The states of layer l in direction d are at index l * D + d. G is gates(), in that order; B is biases().
//
// Each output is judged as a whole: the root mean square of its errors divided by its own. One wrong element in a
// hundred million shows, and gradients that shrink over time are held to the same standard as others.
#pragma once
#include <algorithm>

#include "primitives/op/op.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// The gradient of an input is named after it: dx, dh0, dc0, and weights_layer.0.gradient.
namespace rnn_ops {

std::vector<TensorInfo> weights(const RnnProblem&);           // per layer: weights_layer, weights_iter, bias
std::vector<TensorInfo> sources(const RnnProblem&);           // x, h0, c0, lengths, and the weights
std::vector<TensorInfo> results(const RnnProblem&);           // y, hT, cT
std::vector<TensorInfo> gradients(const RnnProblem&);         // of the results: dy, dhT, dcT
std::vector<TensorInfo> data_gradients(const RnnProblem&);    // dx, dh0, dc0
std::vector<TensorInfo> weight_gradients(const RnnProblem&);  // as the weights
// Scales random weights so that sums are about 1: gates do not saturate, and states neither vanish nor explode.
void settle_weights(const std::vector<TensorInfo>& weights, PlainTensors& in);
// The recurrence's weights at every step but the first. Only for one layer in one direction: of several layers, one is
// read after the other.
Rereads rereads(const RnnProblem&);
double forward_bound(const RnnProblem&);
double backward_bound(const RnnProblem&);

}  // namespace rnn_ops

struct RnnOp {
  using Problem = RnnProblem;
  static constexpr std::string_view primitive = "rnn";
  static constexpr std::int64_t RnnProblem::*images = &RnnProblem::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool sum_over_images = true;
  static constexpr bool bound_of_whole = true;

  static std::int64_t terms(const RnnProblem& p) { return std::max(p.C, p.features(p.L - 1)) + p.K; }
  static double values_between(const RnnProblem& p) { return p.values_in_training(); }
  static void settle(const RnnProblem& p, PlainTensors& in) {
    settle_lengths(in, p.T);
    rnn_ops::settle_weights(rnn_ops::weights(p), in);
  }
};

// Outputs: y [T][N][D * K], the last layer's states; hT [L * D][N][K] and, for an LSTM, cT, the states after the last
// step.
struct RnnForwardOp : RnnOp {
  static constexpr std::string_view pass = "forward";  // in training: it keeps what backward needs

  static std::vector<TensorInfo> inputs(const RnnProblem& p) { return rnn_ops::sources(p); }
  static std::vector<TensorInfo> outputs(const RnnProblem& p) { return rnn_ops::results(p); }
  static double flops(const RnnProblem& p) { return p.flops(); }
  static double bound(const RnnProblem& p) { return rnn_ops::forward_bound(p); }
  static Rereads rereads(const RnnProblem& p) { return rnn_ops::rereads(p); }
  static void reference(const RnnProblem&, const PlainTensors& in, PlainTensors& out);
};

// Forward without keeping anything for backward.
struct RnnInferenceOp : RnnForwardOp {
  static constexpr std::string_view pass = "inference";
  static double values_between(const RnnProblem& p) { return p.values_between(1); }
};

// Backward through time, from the gradients of y, hT and cT: dy, dhT and dcT follow forward's inputs. The gates and
// states that forward keeps are no inputs, as they follow from these.
struct RnnBackwardOp : RnnOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const RnnProblem&);
  static std::vector<TensorInfo> outputs(const RnnProblem&);
  static double flops(const RnnProblem& p) { return 2 * p.flops(); }
  static double bound(const RnnProblem& p) { return rnn_ops::backward_bound(p); }
  static void reference(const RnnProblem&, const PlainTensors& in, PlainTensors& out);
};

// Only dx, dh0 and dc0, which backward through time computes.
struct RnnBackwardDataOp : RnnBackwardOp {
  static constexpr std::string_view pass = "backward-data";

  static std::vector<TensorInfo> outputs(const RnnProblem& p) { return rnn_ops::data_gradients(p); }
  static double flops(const RnnProblem& p) { return p.flops(); }
};

// Only the gradients of weights and biases. The gates' gradients that backward-data keeps are no inputs.
struct RnnWeightUpdateOp : RnnBackwardOp {
  static constexpr std::string_view pass = "weight-update";

  static std::vector<TensorInfo> outputs(const RnnProblem& p) { return rnn_ops::weight_gradients(p); }
  static double flops(const RnnProblem& p) { return p.flops(); }
};

}  // namespace brickwork
