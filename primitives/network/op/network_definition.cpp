#include "primitives/network/op/network_definition.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/epilogue/activation.hpp"
#include "primitives/batch_norm/op/batch_norm_ops.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"
#include "primitives/fc/op/fc_ops.hpp"
#include "primitives/op/defined.hpp"
#include "primitives/pool/op/pool_ops.hpp"
#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"

namespace brickwork {
namespace {

using Values = std::vector<double>;

class Definition {
 public:
  Definition(const NetworkGraph& graph, const PlainTensors& in) : graph_(graph), in_(in) {}

  NetworkValues forward() {
    for (layer_ = 0; layer_ < graph_.layers.size(); ++layer_) {
      values_.outputs.push_back(std::visit([&](const auto& p) { return forward(p); }, graph_.layers[layer_].problem));
    }
    values_.loss = loss<SoftmaxLossForwardOp>()["loss"].front();
    return values_;
  }

  NetworkValues backward() {
    forward();
    const auto parameters = parameters_of(graph_);
    values_.gradients.resize(parameters.size());
    ddst_.resize(graph_.layers.size());
    ddst_.back() = loss<SoftmaxLossBackwardOp>()["dlogits"];
    for (layer_ = graph_.layers.size(); layer_-- > 0;) {
      std::visit([&](const auto& p) { backward(p); }, graph_.layers[layer_].problem);
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].layer == layer_)
          values_.gradients[i] = gradient_[static_cast<std::size_t>(parameters[i].role)];
      }
      ddst_[layer_] = {};
    }
    return values_;
  }

 private:
  const double* src() const { return output(graph_.layers[layer_].src); }
  const double* residual() const { return output(graph_.layers[layer_].residual); }
  const double* output(int layer) const {
    return layer == kImages ? in_.at<double>("images") : values_.outputs[static_cast<std::size_t>(layer)].data();
  }
  const double* parameter(std::string_view which) const {
    return in_.at<double>(graph_.name_of(layer_) + "." + std::string(which));
  }
  Values& gradient(NetworkParameter::Role role) { return gradient_[static_cast<std::size_t>(role)]; }

  void add_gradient(int layer, const Values& more) {
    if (layer == kImages) return;
    Values& sum = ddst_[static_cast<std::size_t>(layer)];
    if (sum.empty()) sum.assign(more.size(), 0.0);
    std::ranges::transform(sum, more, sum.begin(), std::plus());
  }

  template <Operation Op>
  Defined<Op> loss() {
    Defined<Op> loss({.N = graph_.images.N, .C = graph_.classes()});
    loss.with("logits", values_.outputs.back()).with("labels", in_.at<double>("labels")).run();
    return loss;
  }

  template <Operation Op>
  Values product(const typename Op::Problem& p) {
    Defined<Op> pass(p);
    pass.with("src", src()).with("weights", parameter("weights"));
    if (p.epilogue.bias) pass.with("bias", parameter("bias"));
    return pass.run()["dst"];
  }
  Values forward(const ConvProblem& p) { return product<ConvForwardOp>(p); }
  Values forward(const FcProblem& p) { return product<FcForwardOp>(p); }
  Values forward(const PoolProblem& p) { return Defined<PoolForwardOp>(p).with("src", src()).run()["dst"]; }
  Values forward(const BatchNormProblem& p) { return norm<BatchNormForwardOp>(p).run()["dst"]; }

  template <Operation Op>
  Defined<Op> norm(const BatchNormProblem& p) {
    Defined<Op> pass(p);
    pass.with("src", src()).with("gamma", parameter("gamma")).with("beta", parameter("beta"));
    if (p.residual()) pass.with("residual", residual());
    return pass;
  }

  template <Operation DataOp, Operation UpdateOp>
  void product_backward(typename DataOp::Problem p) {
    Values& ddst = ddst_[layer_];
    const Values& dst = values_.outputs[layer_];
    if (p.epilogue.activation != Activation::none) {
      for (std::size_t i = 0; i < ddst.size(); ++i) ddst[i] = times_derivative(p.epilogue.activation, ddst[i], dst[i]);
    }
    p.epilogue = {.bias = p.epilogue.bias};
    Defined<UpdateOp> update(p);
    update.with("src", src()).with("ddst", ddst).run();
    gradient(NetworkParameter::Role::weights) = update["dweights"];
    gradient(NetworkParameter::Role::bias) = update["dbias"];
    const int from = graph_.layers[layer_].src;
    if (from == kImages) return;
    p.epilogue = {};
    Defined<DataOp> data(p);
    add_gradient(from, data.with("ddst", ddst).with("weights", parameter("weights")).run()["dsrc"]);
  }
  void backward(const ConvProblem& p) { product_backward<ConvBackwardDataOp, ConvWeightUpdateOp>(p); }
  void backward(const FcProblem& p) { product_backward<FcBackwardDataOp, FcWeightUpdateOp>(p); }
  void backward(const PoolProblem& p) {
    Defined<PoolBackwardOp> pass(p);
    add_gradient(graph_.layers[layer_].src, pass.with("src", src()).with("ddst", ddst_[layer_]).run()["dsrc"]);
  }
  void backward(const BatchNormProblem& p) {
    auto pass = norm<BatchNormBackwardOp>(p);
    pass.with("ddst", ddst_[layer_]).run();
    gradient(NetworkParameter::Role::gamma) = pass["dgamma"];
    gradient(NetworkParameter::Role::beta) = pass["dbeta"];
    add_gradient(graph_.layers[layer_].src, pass["dsrc"]);
    if (p.residual()) add_gradient(graph_.layers[layer_].residual, pass["dresidual"]);
  }

  const NetworkGraph& graph_;
  const PlainTensors& in_;
  std::size_t layer_ = 0;  // the current layer
  NetworkValues values_;
  std::vector<Values> ddst_;
  Values gradient_[4];  // the current layer's, by role
};

}  // namespace

NetworkValues define_network(const NetworkGraph& graph, const PlainTensors& in, bool with_gradients) {
  Definition definition(graph, in);
  return with_gradients ? definition.backward() : definition.forward();
}

}  // namespace brickwork
