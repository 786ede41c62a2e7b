// The passes of recurrent layers as everyone outside their driver knows them: tensors, work, and the definitions.
//
// Tensors that go in, with C_0 = C and else C_l = D * K, D 2 where bidirectional and else 1:
//   x [T][N][C], h0 [L * D][N][K], of an LSTM c0 likewise, lengths [N] (i32) where they are unequal
//   of each layer l, from 0:  weights_layer.l [D][C_l][G][K], weights_iter.l [D][K][G][K], bias.l [D][G][K]
// The layer l's states of the way d stand at l * D + d. G is gates() in their order, for the bias biases().
//
// Each output is right as a whole: its error's root mean square beside its own. One wrong element in a hundred
// million shows, and gradients that shrink over time are held to no lower standard than others.
#pragma once
#include <algorithm>

#include "primitives/op/op.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

// Gradients of what goes into a pass are named after it: dx, dh0, dc0, and weights_layer.0.gradient.
namespace rnn_ops {

std::vector<TensorInfo> weights(const RnnProblem&);           // by layer: weights_layer, weights_iter, bias
std::vector<TensorInfo> sources(const RnnProblem&);           // x, h0, c0, lengths, and the weights
std::vector<TensorInfo> results(const RnnProblem&);           // y, hT, cT
std::vector<TensorInfo> gradients(const RnnProblem&);         // of the results: dy, dhT, dcT
std::vector<TensorInfo> data_gradients(const RnnProblem&);    // dx, dh0, dc0
std::vector<TensorInfo> weight_gradients(const RnnProblem&);  // as the weights
// Makes random weights such that sums are about 1: gates are not saturated, and states neither vanish nor explode.
void settle_weights(const std::vector<TensorInfo>& weights, PlainTensors& in);
// The state's weights at every step but the first. Of one layer, one way: others are read a layer after the other.
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

// y [T][N][D * K], the last layer's states; hT [L * D][N][K] and, of an LSTM, cT, the states behind the last step.
struct RnnForwardOp : RnnOp {
  static constexpr std::string_view pass = "forward";  // in training: it leaves what backward needs

  static std::vector<TensorInfo> inputs(const RnnProblem& p) { return rnn_ops::sources(p); }
  static std::vector<TensorInfo> outputs(const RnnProblem& p) { return rnn_ops::results(p); }
  static double flops(const RnnProblem& p) { return p.flops(); }
  static double bound(const RnnProblem& p) { return rnn_ops::forward_bound(p); }
  static Rereads rereads(const RnnProblem& p) { return rnn_ops::rereads(p); }
  static void reference(const RnnProblem&, const PlainTensors& in, PlainTensors& out);
};

// The same outputs, and nothing is left.
struct RnnInferenceOp : RnnForwardOp {
  static constexpr std::string_view pass = "inference";
  static double values_between(const RnnProblem& p) { return p.values_between(1); }
};

// Through time, out of the gradients of y, hT and cT: dy, dhT and dcT as those, behind forward's inputs. What forward
// has left (gates, states) follows from the inputs and belongs to nobody's run.
struct RnnBackwardOp : RnnOp {
  static constexpr std::string_view pass = "backward";

  static std::vector<TensorInfo> inputs(const RnnProblem&);
  static std::vector<TensorInfo> outputs(const RnnProblem&);
  static double flops(const RnnProblem& p) { return 2 * p.flops(); }
  static double bound(const RnnProblem& p) { return rnn_ops::backward_bound(p); }
  static void reference(const RnnProblem&, const PlainTensors& in, PlainTensors& out);
};

// dx, dh0 and dc0 alone. The way back through time is its work.
struct RnnBackwardDataOp : RnnBackwardOp {
  static constexpr std::string_view pass = "backward-data";

  static std::vector<TensorInfo> outputs(const RnnProblem& p) { return rnn_ops::data_gradients(p); }
  static double flops(const RnnProblem& p) { return p.flops(); }
};

// The weights' and biases' gradients alone. The gates' gradients, which backward-data has left, belong to nobody's run.
struct RnnWeightUpdateOp : RnnBackwardOp {
  static constexpr std::string_view pass = "weight-update";

  static std::vector<TensorInfo> outputs(const RnnProblem& p) { return rnn_ops::weight_gradients(p); }
  static double flops(const RnnProblem& p) { return p.flops(); }
};

}  // namespace brickwork
