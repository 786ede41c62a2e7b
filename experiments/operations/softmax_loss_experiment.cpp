// softmax-loss and softmax-loss-backward: the mean loss of rows of logits, and its gradient.
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_elementwise.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"

namespace brickwork {
namespace {

std::function<void()> loss_work(const SoftmaxLossProblem& p, const PlainTensors& in, PlainTensors& out,
                                const ElementwisePlan& plan) {
  return [logits = in.at<float>("logits"), labels = in.at<std::int32_t>("labels"), loss = out.at<float>("loss"),
          softmax = std::make_shared<SoftmaxLoss>(p, plan)] { *loss = softmax->run(logits, labels, nullptr); };
}

std::function<void()> loss_gradient_work(const SoftmaxLossProblem& p, const PlainTensors& in, PlainTensors& out,
                                         const ElementwisePlan& plan) {
  return [logits = in.at<float>("logits"), labels = in.at<std::int32_t>("labels"), dlogits = out.at<float>("dlogits"),
          softmax = std::make_shared<SoftmaxLoss>(p, plan)] { softmax->run(logits, labels, dlogits); };
}

ExperimentEntry softmax_loss_pass(ExperimentEntry entry) {
  entry.shapes = "classes";
  entry.sample = "N4 C100";
  entry.kind = shape_kind<SoftmaxLossProblem>;
  return layers_pass(entry);
}

std::unique_ptr<Experiment> softmax_loss_experiment(const Request& request) {
  return make_experiment<SoftmaxLossForwardOp>(request,
                                               {our_elementwise<SoftmaxLossForwardOp>(request.options, loss_work)});
}

std::unique_ptr<Experiment> softmax_loss_backward_experiment(const Request& request) {
  return make_experiment<SoftmaxLossBackwardOp>(
      request, {our_elementwise<SoftmaxLossBackwardOp>(request.options, loss_gradient_work)});
}

}  // namespace

std::span<const ExperimentEntry> softmax_loss_experiments() {
  static const ExperimentEntry entries[] = {
      softmax_loss_pass({.name = "softmax-loss",
                         .about = "softmax and cross-entropy, forward: the mean loss (memory-bound)",
                         .make = softmax_loss_experiment}),
      softmax_loss_pass({.name = "softmax-loss-backward",
                         .about = "softmax and cross-entropy, backward: the gradient of the logits (memory-bound)",
                         .make = softmax_loss_backward_experiment}),
  };
  return entries;
}

}  // namespace brickwork
