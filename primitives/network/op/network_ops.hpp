// Training a network, as an operation: all of a step, or its forward or backward pass alone.
#pragma once
#include <string_view>

#include "primitives/network/op/network_graph.hpp"
#include "primitives/op/op.hpp"
#include "primitives/sgd/op/sgd_op.hpp"

namespace brickwork {

// Of its part the backward pass finds what the forward pass has left, which belongs to nobody's run; a step is both of
// them and that of gradient descent.
enum class NetworkPart { step, forward, backward };

// The word of a problem's table.
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

// A problem of it says `static constexpr std::string_view primitive` and has N, a part, and network_graph(problem).
//
// Tensors: images [N][C][H][W], labels [N], and each parameter (parameters_of). Of a forward pass come the loss [1] and
// the logits [N][classes], of a backward pass every parameter's gradient, as "conv1.weights.gradient", and of a step
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
  // Rounding makes some gradients pass a ReLU, or take another way through a maximum, than in f64, and from there on
  // the difference is carried to all: in ResNet-50 f64 itself moves by 0.007 if its inputs are rounded to f32 once.
  static double bound(const P&) { return 0.1; }
  static double values_between(const P& p) { return network_graph(p).values(); }
  // Weights by He et al. (arXiv 1502.01852), gammas about 1.
  static void settle(const P& p, PlainTensors& in) { network_ops::settle(network_graph(p), in); }
  static void reference(const P& p, const PlainTensors& in, PlainTensors& out) {
    network_ops::reference(network_graph(p), p.part, in, out);
  }
};

}  // namespace brickwork
