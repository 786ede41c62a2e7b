#include "primitives/network/network.hpp"

#include "primitives/conv/conv_pack.hpp"
#include "primitives/sgd/sgd.hpp"

namespace brickwork {
namespace {

SoftmaxLossProblem loss_of(const NetworkGraph& graph) { return {.N = graph.images.N, .C = graph.classes()}; }

}  // namespace

Network::Network(const NetworkGraph& graph)
    : graph_(graph),
      parameters_(parameters_of(graph)),
      plain_logits_(static_cast<std::size_t>(graph.images.N * graph.classes())),
      plain_dlogits_(plain_logits_.size()),
      loss_(loss_of(graph), {}) {}

void Network::set_parameter(std::size_t i, const float* plain) {
  const NetworkParameter& p = parameters_[i];
  passes_[pass_of_[p.layer]]->pack(p.role, plain, state_.weights.data() + first_[i]);
}

void Network::get(std::size_t i, const AlignedBuffer<float>& of_all, float* to) const {
  const NetworkParameter& p = parameters_[i];
  passes_[pass_of_[p.layer]]->unpack(p.role, of_all.data() + first_[i], to);
}

void Network::set_images(const float* nchw) {
  (images_are_rows_ ? pack_nhwc : pack_nchw)(images_, nchw, tensors_.front().data());
}

void Network::get_logits(float* to) const { unpack_nhwc(logits_.layout, logits_.data, to); }

float Network::forward(const std::int32_t* labels) {
  for (const auto& pass : passes_) pass->forward();
  get_logits(plain_logits_.data());
  return loss_.run(plain_logits_.data(), labels, plain_dlogits_.data());
}

void Network::infer() {
  for (const auto& pass : passes_) pass->infer();
}

void Network::backward() {
  pack_nhwc(dlogits_.layout, plain_dlogits_.data(), dlogits_.data);
  for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) (*pass)->backward();
}

void Network::step(const SgdStep& step, NetworkState& to) {
  sgd(step, {state_.weights.data(), state_.velocities.data(), gradients_.data()},
      {to.weights.data(), to.velocities.data()}, static_cast<std::int64_t>(gradients_.size()), step_plan_);
}

}  // namespace brickwork
