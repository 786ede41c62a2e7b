#include "baselines/pytorch/pytorch_training.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "baselines/pytorch/pytorch_tensors.hpp"

namespace brickwork::pytorch {
namespace {

using at::Tensor;

class Training final : public Prepared {
 public:
  Training(const NetworkGraph& graph, NetworkPart part, const PlainTensors& inputs, at::MemoryFormat format)
      : graph_(graph),
        part_(part),
        inputs_(inputs),
        format_(format),
        parameters_(parameters_of(graph)),
        values_(parameters_.size()),
        of_layer_(graph.layers.size()),
        running_(graph.layers.size()) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      of_layer_[parameters_[i].layer][static_cast<std::size_t>(parameters_[i].role)] = &values_[i].weights;
    }
  }

  void pack() override {
    in_one_sentence([&] {
      images_ = view(inputs_, "images").clone(format_);
      labels_ = view(inputs_, "labels").to(at::kLong);
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        auto& [weights, still, velocity, stepped] = values_[i];
        const Tensor plain = view(inputs_, parameters_[i].info.name);
        weights = plain.clone(plain.dim() == 4 ? format_ : at::MemoryFormat::Contiguous).requires_grad_();
        if (part_ != NetworkPart::step) continue;
        still = at::zeros_like(weights.detach());
        velocity = at::empty_like(still);
        stepped = at::empty_like(still);
      }
      for (std::size_t i = 0; i < running_.size(); ++i) {
        const auto* const norm = std::get_if<BatchNormProblem>(&graph_.layers[i].problem);
        if (norm == nullptr) continue;
        running_[i] = {at::zeros(norm->C, images_.options()), at::ones(norm->C, images_.options())};
      }
      if (part_ == NetworkPart::backward) forward();
    });
  }

  void run() override {
    in_one_sentence([&] {
      if (part_ != NetworkPart::backward) forward();
      if (part_ == NetworkPart::forward) return;
      for (Value& value : values_) value.weights.mutable_grad().reset();
      loss_.backward({}, /*retain_graph=*/part_ == NetworkPart::backward);
      if (part_ == NetworkPart::step) step();
    });
  }

  void unpack(PlainTensors& outputs) override {
    const torch::NoGradGuard values_alone;
    const auto put = [&](const std::string& name, const Tensor& values) { view(outputs, name).copy_(values); };
    if (part_ != NetworkPart::backward) put("loss", loss_);
    if (part_ == NetworkPart::forward) put("logits", logits_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string& name = parameters_[i].info.name;
      if (part_ == NetworkPart::backward) put(name + ".gradient", values_[i].weights.grad());
      if (part_ == NetworkPart::step) put(name + ".velocity", values_[i].velocity);
      if (part_ == NetworkPart::step) put(name + ".stepped", values_[i].stepped);
    }
  }

  std::string implementation() const override {
    return format_ == at::MemoryFormat::ChannelsLast ? "eager:channels_last" : "eager:contiguous";
  }
  std::string isa() const override { return pytorch::isa(); }

 private:
  struct Value {
    Tensor weights, still, velocity, stepped;  // still: a velocity of zeros
  };

  void forward() {
    outputs_.clear();
    for (layer_ = 0; layer_ < graph_.layers.size(); ++layer_) {
      outputs_.push_back(std::visit([&](const auto& p) { return forward(p); }, graph_.layers[layer_].problem));
    }
    logits_ = outputs_.back();
    outputs_.clear();  // autograd keeps what it needs
    loss_ = at::cross_entropy_loss(logits_, labels_);
  }

  const Tensor& output(int layer) const {
    return layer == kImages ? images_ : outputs_[static_cast<std::size_t>(layer)];
  }
  const Tensor& src() const { return output(graph_.layers[layer_].src); }
  Tensor parameter(NetworkParameter::Role role) const {
    const Tensor* const found = of_layer_[layer_][static_cast<std::size_t>(role)];
    return found == nullptr ? Tensor() : *found;
  }

  Tensor forward(const ConvProblem& p) const {
    using Role = NetworkParameter::Role;
    return at::conv2d(src(), parameter(Role::weights), parameter(Role::bias), {p.stride_h, p.stride_w},
                      {p.pad_h, p.pad_w});
  }
  // Gathers running statistics, as our network does; the residual and the ReLU work in place, as in torchvision's
  // ResNet.
  Tensor forward(const BatchNormProblem& p) const {
    using Role = NetworkParameter::Role;
    const auto& [mean, variance] = running_[layer_];
    Tensor dst = at::batch_norm(src(), parameter(Role::gamma), parameter(Role::beta), mean, variance, /*training=*/true,
                                /*momentum=*/0.1, BatchNormProblem::epsilon, /*cudnn_enabled=*/false);
    if (p.residual()) dst.add_(output(graph_.layers[layer_].residual));
    if (p.relu()) dst.relu_();
    return dst;
  }
  Tensor forward(const PoolProblem& p) const {
    const std::array<std::int64_t, 2> window{p.R, p.S}, stride{p.stride_h, p.stride_w}, pad{p.pad_h, p.pad_w};
    if (p.kind == PoolKind::max) return at::max_pool2d(src(), window, stride, pad);
    if (p.R == p.H && p.S == p.W && p.P() == 1 && p.Q() == 1) return at::adaptive_avg_pool2d(src(), {1, 1});
    return at::avg_pool2d(src(), window, stride, pad, /*ceil_mode=*/false, p.kind == PoolKind::average_padded);
  }
  Tensor forward(const FcProblem& p) const {
    using Role = NetworkParameter::Role;
    const Tensor dst = at::linear(src().flatten(1), parameter(Role::weights), parameter(Role::bias));
    switch (p.epilogue.activation) {
      case Activation::none:
        return dst;
      case Activation::relu:
        return dst.relu();
      case Activation::sigmoid:
        return dst.sigmoid();
      case Activation::tanh:
        return dst.tanh();
      case Activation::gelu:
        return at::gelu(dst, "tanh");
    }
    return {};
  }

  // Does what torch.optim.SGD does on a CPU, but every call starts from the same weights.
  void step() {
    const torch::NoGradGuard values_alone;
    for (auto& [weights, still, velocity, stepped] : values_) {
      const Tensor change = weights.grad().add(weights, SgdOp::step.decay);
      at::mul_out(velocity, still, at::scalar_tensor(SgdOp::step.momentum, still.options()));
      velocity.add_(change);
      at::add_out(stepped, weights, velocity, -SgdOp::step.rate);
    }
  }

  const NetworkGraph graph_;
  const NetworkPart part_;
  const PlainTensors& inputs_;
  const at::MemoryFormat format_;
  const std::vector<NetworkParameter> parameters_;
  std::vector<Value> values_;                           // of each parameter
  std::vector<std::array<const Tensor*, 4>> of_layer_;  // of each layer: the weights of its parameters by role, or null
  std::vector<std::pair<Tensor, Tensor>> running_;      // of each batch normalisation: mean and variance
  std::size_t layer_ = 0;                               // the current layer of forward()
  std::vector<Tensor> outputs_;                         // of the layers before it
  Tensor images_, labels_, logits_, loss_;
};

double seconds_of_second_run(Prepared& training) {
  training.pack();
  training.run();
  const auto start = std::chrono::steady_clock::now();
  training.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

PreparedPtr prepare_training(const NetworkGraph& graph, NetworkPart part, const PlainTensors& inputs,
                             const Resources& resources) {
  at::set_num_threads(resources.threads);
  const auto make = [&](at::MemoryFormat format) { return std::make_unique<Training>(graph, part, inputs, format); };
  if (graph.images.H * graph.images.W == 1) return make(at::MemoryFormat::Contiguous);
  const double last = seconds_of_second_run(*make(at::MemoryFormat::ChannelsLast));
  const double contiguous = seconds_of_second_run(*make(at::MemoryFormat::Contiguous));
  return make(last <= contiguous ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
}

}  // namespace brickwork::pytorch
