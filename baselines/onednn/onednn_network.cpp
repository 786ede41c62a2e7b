// Training of a network by oneDNN's primitives, with its loss and gradient descent.
#include "baselines/network_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "baselines/onednn/onednn_network_chain.hpp"
#include "baselines/onednn/onednn_primitive.hpp"

namespace brickwork {
namespace onednn {
namespace {

using dnnl::memory;

// Out of place, so that each run takes the first step. In place, a hundred runs on the same images would move the
// weights out of the range of training, and of f32.
struct Step {
  Tensor still, velocity, weights;  // still: a velocity of zeros; the others are results

  std::int64_t size() const { return static_cast<std::int64_t>(still.size()); }
};

class PreparedNetwork final : public Prepared {
 public:
  PreparedNetwork(const NetworkGraph& graph, NetworkPart part, const PlainTensors& in)
      : part_(part),
        in_(in),
        labels_(in.at<std::int32_t>("labels"), static_cast<std::size_t>(graph.images.N)),
        classes_(graph.classes()),
        parameters_(parameters_of(graph)),
        network_(chain_network(context_, graph, part)) {
    if (part != NetworkPart::step) return;
    for (const ChainedParameter& p : network_->parameters) {
      const memory::desc desc = p.values.get_desc();
      steps_.push_back({Tensor(context_, desc), Tensor(context_, desc), Tensor(context_, desc)});
    }
  }

  void pack() override {
    set(network_->images, "images");
    for (std::size_t i = 0; i < parameters_.size(); ++i) set(network_->parameters[i].values, parameters_[i].info.name);
    const auto rows = static_cast<float>(labels_.size());
    float* const dlog = data(network_->dlog_probabilities);
    std::fill_n(dlog, static_cast<std::int64_t>(labels_.size()) * classes_, 0.0F);
    for (std::size_t n = 0; n < labels_.size(); ++n) dlog[at_label(n)] = -1 / rows;
    if (part_ == NetworkPart::backward) network_->run_forward();
  }

  void run() override {
    if (part_ != NetworkPart::backward) forward();
    if (part_ != NetworkPart::forward) network_->run_backward();
    if (part_ == NetworkPart::step) step();
  }

  void unpack(PlainTensors& out) override {
    if (part_ != NetworkPart::backward) *out.at<float>("loss") = loss_;
    if (part_ == NetworkPart::forward) get(network_->logits, out, "logits");
    if (part_ == NetworkPart::forward) return;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string& name = parameters_[i].info.name;
      const ChainedParameter& p = network_->parameters[i];
      if (part_ == NetworkPart::backward) {
        get(p.gradient, out, name + ".gradient");
      } else {
        get(steps_[i].velocity.memory(), out, name + ".velocity");
        get(steps_[i].weights.memory(), out, name + ".stepped");
      }
    }
  }

  std::string implementation() const override {
    std::vector<std::string> counts;
    for (const auto& [name, times] : network_->implementations) counts.push_back(fmt::format("{} {}", times, name));
    return fmt::format("{}", fmt::join(counts, " + "));
  }
  std::string isa() const override { return onednn::isa(); }

 private:
  static float* data(const memory& m) { return static_cast<float*>(m.get_data_handle()); }
  std::int64_t at_label(std::size_t n) const { return static_cast<std::int64_t>(n) * classes_ + labels_[n]; }

  void reorder(memory from, memory to) {
    dnnl::reorder(from, to).execute(context_.stream, from, to);
    context_.stream.wait();
  }
  memory plain_memory(const memory& as, const float* values) const {
    return {plain(as.get_desc().get_dims()), context_.engine, const_cast<float*>(values)};
  }
  void set(const memory& to, const std::string& name) { reorder(plain_memory(to, in_.at<float>(name)), to); }
  void get(const memory& from, PlainTensors& out, const std::string& name) {
    reorder(from, plain_memory(from, out.at<float>(name)));
  }

  void forward() {
    network_->run_forward();
    const float* const log_probabilities = data(network_->log_probabilities);
    double sum = 0;
    for (std::size_t n = 0; n < labels_.size(); ++n) sum -= log_probabilities[at_label(n)];
    loss_ = static_cast<float>(sum / static_cast<double>(labels_.size()));
  }

  // The padding of a layout is zero everywhere, and stays so.
  void step() {
    constexpr SgdStep s = SgdOp::step;
#pragma omp parallel
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const float* const weights = data(network_->parameters[i].values);
      const float* const gradient = data(network_->parameters[i].gradient);
      const float* const still = steps_[i].still.data();
      float *const velocity = steps_[i].velocity.data(), *const stepped = steps_[i].weights.data();
      const std::int64_t size = steps_[i].size();
#pragma omp for simd nowait
      for (std::int64_t j = 0; j < size; ++j) {
        velocity[j] = s.momentum * still[j] + (gradient[j] + s.decay * weights[j]);
        stepped[j] = weights[j] - s.rate * velocity[j];
      }
    }
  }

  Context context_;
  NetworkPart part_;
  const PlainTensors& in_;
  std::span<const std::int32_t> labels_;
  std::int64_t classes_;
  std::vector<NetworkParameter> parameters_;
  std::unique_ptr<NetworkChain> network_;
  std::vector<Step> steps_;  // of each parameter, if steps are taken
  float loss_ = 0;
};

template <class P>
Contender<NetworkTrainingOp<P>> network_contender() {
  return {.name = "onednn",
          .library = {"oneDNN", version()},
          .prepare = [](const P& p, const PlainTensors& in, const Resources&) {
            return prepare_onednn_network(network_graph(p), p.part, in);
          }};
}

}  // namespace
}  // namespace onednn

Result<PreparedPtr> prepare_onednn_network(const NetworkGraph& graph, NetworkPart part, const PlainTensors& in) {
  return PreparedPtr(std::make_unique<onednn::PreparedNetwork>(graph, part, in));
}

Contender<ResidualNetworkOp> onednn_resnet() { return onednn::network_contender<ResidualNetwork>(); }
Contender<MlpOp> onednn_mlp() { return onednn::network_contender<MlpProblem>(); }

}  // namespace brickwork

#else

namespace brickwork {

Contender<ResidualNetworkOp> onednn_resnet() { return absent_library<ResidualNetworkOp>("onednn", "oneDNN"); }
Contender<MlpOp> onednn_mlp() { return absent_library<MlpOp>("onednn", "oneDNN"); }

Result<PreparedPtr> prepare_onednn_network(const NetworkGraph&, NetworkPart, const PlainTensors&) {
  return Result<PreparedPtr>::absent(onednn_mlp().library.absent);
}

}  // namespace brickwork

#endif
