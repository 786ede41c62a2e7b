// resnet50-step and mlp: training whole networks. Compares our chained drivers around each backend of the brick with
// the libraries' chained primitives.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/elsewhere/pytorch_elsewhere.hpp"
#include "baselines/network_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/by_winograd.hpp"
#include "experiments/operations/ours/our_brick.hpp"
#include "primitives/network/network.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/residual_network.hpp"

namespace brickwork {
namespace {

class PreparedNetwork final : public Prepared {
 public:
  PreparedNetwork(Network network, NetworkPart part, const PlainTensors& plain, std::string tuning,
                  std::string implementation)
      : network_(std::move(network)),
        part_(part),
        plain_(plain),
        tuning_(std::move(tuning)),
        implementation_(std::move(implementation)),
        stepped_(part == NetworkPart::step ? network_.state().weights.size() : 0) {}

  void pack() override {
    network_.set_images(plain_.at<float>("images"));
    for (std::size_t i = 0; i < network_.parameters().size(); ++i) network_.set_parameter(i, plain_.at<float>(name(i)));
    if (part_ == NetworkPart::backward) forward();
  }
  void run() override {
    if (part_ != NetworkPart::backward) forward();
    if (part_ != NetworkPart::forward) network_.backward();
    if (part_ == NetworkPart::step) network_.step(SgdOp::step, stepped_);
  }
  void unpack(PlainTensors& out) override {
    if (part_ != NetworkPart::backward) *out.at<float>("loss") = loss_;
    if (part_ == NetworkPart::forward) return network_.get_logits(out.at<float>("logits"));
    for (std::size_t i = 0; i < network_.parameters().size(); ++i) {
      if (part_ == NetworkPart::backward) {
        network_.get_gradient(i, out.at<float>(name(i) + ".gradient"));
      } else {
        network_.get(i, stepped_.velocities, out.at<float>(name(i) + ".velocity"));
        network_.get(i, stepped_.weights, out.at<float>(name(i) + ".stepped"));
      }
    }
  }

  std::string implementation() const override { return implementation_; }
  std::string isa() const override { return std::string(network_.isa()); }
  std::string tuning() const override { return tuning_; }

 private:
  const std::string& name(std::size_t i) const { return network_.parameters()[i].info.name; }
  void forward() { loss_ = network_.forward(plain_.at<std::int32_t>("labels")); }

  Network network_;
  NetworkPart part_;
  const PlainTensors& plain_;
  std::string tuning_, implementation_;
  NetworkState stepped_;  // separate from the state that a run starts from, so all runs are the same
  float loss_ = 0;
};

// Makes `contender` of this brick run networks whose convolutions use `algorithm`.
template <class P>
Contender<NetworkTrainingOp<P>> with_networks(Contender<NetworkTrainingOp<P>> contender, const OurBrick& ours,
                                              ConvAlgorithm algorithm, const std::string& implementation) {
  contender.prepare = [=](const P& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    const NetworkBrick brick{this_machine(r.threads, ours.tuning()), ours.backend(), ours.isa(), ours.tuning(),
                             algorithm};
    auto network = Network::make(network_graph(p), brick);
    if (!network) return {network.status(), network.reason()};
    return PreparedPtr(
        std::make_unique<PreparedNetwork>(*std::move(network), p.part, inputs, ours.tuning_text(), implementation));
  };
  return contender;
}

constexpr const char* kChained = "chained brgemm loops";

template <class P>
Contender<NetworkTrainingOp<P>> our_network(Backend backend, const Options& options) {
  const OurBrick ours(backend, options);
  return with_networks<P>(ours.contender<NetworkTrainingOp<P>>(), ours, ConvAlgorithm::direct, kChained);
}

Contender<ResidualNetworkOp> our_resnet_by_winograd(const Options& options) {
  const OurBrick ours(Backend::simd, options);
  return with_networks<ResidualNetwork>(contender_by_winograd<ResidualNetworkOp>(ours), ours, ConvAlgorithm::winograd,
                                        std::string(kChained) + ", " + kByWinograd);
}

template <class P>
std::unique_ptr<Experiment> network_experiment(const Request& request,
                                               const std::vector<Contender<NetworkTrainingOp<P>>>& libraries) {
  return make_experiment(request, all_backends_and(our_network<P>, libraries, request.options));
}

std::unique_ptr<Experiment> resnet50_step_experiment(const Request& request) {
  return network_experiment<ResidualNetwork>(
      request, {our_resnet_by_winograd(request.options), onednn_resnet(),
                onednn_latest("onednn-latest", onednn_resnet()), pytorch_elsewhere<ResidualNetworkOp>()});
}

std::unique_ptr<Experiment> mlp_experiment(const Request& request) {
  return network_experiment<MlpProblem>(
      request, {onednn_mlp(), onednn_latest("onednn-latest", onednn_mlp()), pytorch_elsewhere<MlpOp>()});
}

}  // namespace

std::span<const ExperimentEntry> network_experiments() {
  static const ExperimentEntry entries[] = {
      resnet_training({.name = "resnet50-step",
                       .about = "a training step of ResNet-50, and its forward and backward parts alone",
                       .make = resnet50_step_experiment}),
      mlp_training({.name = "mlp",
                    .about = "a training step of an MLP, and its forward and backward parts alone",
                    .make = mlp_experiment}),
  };
  return entries;
}

}  // namespace brickwork
