// Training of a network as an operation: a whole step, or only its forward or backward pass.
#pragma once
#include <string_view>

#include "primitives/network/op/network_graph.hpp"
#include "primitives/op/op.hpp"
#include "primitives/sgd/op/sgd_op.hpp"

namespace brickwork {

// The part of a training step. `backward` follows a forward pass that is not measured; `step` is forward, backward and
// gradient descent.
enum class NetworkPart { step, forward, backward };

// The part as a word of a problem's table.
template <class Problem>
Word<Problem> part_word() {
  return choice("a part: step, forward or backward", {"step", "forward", "backward"}, &Problem::part, "part");
}

namespace network_ops {

std::vector<TensorInfo> inputs(const NetworkGraph&);
std::vector<TensorInfo> outputs(const NetworkGraph&, NetworkPart);
double flops(const NetworkGraph&, NetworkPart, bool least);
void settle(const NetworkGraph&, PlainTensors& in);
void reference(const NetworkGraph&, NetworkPart, const PlainTensors& in, PlainTensors& out);

}  // namespace network_ops

// A problem P has `static constexpr std::string_view primitive`, N, a part, and network_graph(problem).
//
// Inputs: images [N][C][H][W], labels [N], and each parameter (parameters_of). Outputs of forward: the loss [1] and the
// logits [N][classes]. Outputs of backward: every parameter's gradient, as "conv1.weights.gradient". Outputs of a step:
// the loss, and every parameter's ".velocity" and ".stepped" by SgdOp::step from a velocity of zeros.
template <class P>
struct NetworkTrainingOp {
  using Problem = P;
  static constexpr std::string_view primitive = P::primitive, pass = "training";
  static constexpr std::int64_t P::*images = &P::N;
  static constexpr bool sum_of_products = false;
  static constexpr bool mean_over_images = true;
  static constexpr bool bound_of_whole = true;

  static std::vector<TensorInfo> inputs(const P& p) { return network_ops::inputs(network_graph(p)); }
  static std::vector<TensorInfo> outputs(const P& p) { return network_ops::outputs(network_graph(p), p.part); }
  static std::int64_t terms(const P& p) { return p.N; }
  static double flops(const P& p) { return network_ops::flops(network_graph(p), p.part, false); }
  static double least_flops(const P& p) { return network_ops::flops(network_graph(p), p.part, true); }
  // Rounding lets some gradients pass a ReLU, or take another way through a maximum, than in f64; the difference then
  // spreads to all gradients. In ResNet-50, f64 results themselves move by 0.007 if their inputs are rounded to f32
  // once.
  static double bound(const P&) { return 0.1; }
  static double values_between(const P& p) { return network_graph(p).values(); }
  // Weights as in He et al. (arXiv 1502.01852), gammas about 1.
  static void settle(const P& p, PlainTensors& in) { network_ops::settle(network_graph(p), in); }
  static void reference(const P& p, const PlainTensors& in, PlainTensors& out) {
    network_ops::reference(network_graph(p), p.part, in, out);
  }
};

}  // namespace brickwork
