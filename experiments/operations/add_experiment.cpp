// add and add-backward: a network's additions of residuals and their derivatives. Compares ours with oneDNN's.
#include "baselines/add_baselines.hpp"
#include "baselines/elsewhere/onednn_latest.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_elementwise.hpp"
#include "primitives/add/add.hpp"

namespace brickwork {
namespace {

std::function<void()> add_work(const AddProblem& p, const PlainTensors& in, PlainTensors& out,
                               const ElementwisePlan& plan) {
  return [=, a = in.at<float>("a"), b = in.at<float>("b"), dst = out.at<float>("dst")] {
    add(a, b, dst, p.elements(), p.relu, plan);
  };
}

std::function<void()> relu_backward_work(const AddProblem& p, const PlainTensors& in, PlainTensors& out,
                                         const ElementwisePlan& plan) {
  return [=, dst = in.at<float>("dst"), ddst = in.at<float>("ddst"), dsrc = out.at<float>("dsrc")] {
    relu_backward(dst, ddst, dsrc, p.elements(), plan);
  };
}

std::unique_ptr<Experiment> add_experiment(const Request& request) {
  const auto ours = our_elementwise<AddForwardOp>(request.options, add_work);
  return make_experiment<AddForwardOp>(request, {ours, onednn_add(), onednn_latest("onednn-latest", onednn_add())});
}

std::unique_ptr<Experiment> add_backward_experiment(const Request& request) {
  const auto ours = our_elementwise<AddBackwardOp>(request.options, relu_backward_work);
  const auto onednn = onednn_add_backward();
  return make_experiment<AddBackwardOp>(request, {ours, onednn, onednn_latest("onednn-latest", onednn)});
}

}  // namespace

std::span<const ExperimentEntry> add_experiments() {
  static const ExperimentEntry entries[] = {
      add_pass({.name = "add",
                .about = "residual additions with ReLU, layers of a network (memory-bound)",
                .takes_epilogue = true,
                .make = add_experiment}),
      add_pass({.name = "add-backward",
                .about = "backward pass of a residual addition's ReLU (memory-bound)",
                .make = add_backward_experiment}),
  };
  return entries;
}

}  // namespace brickwork
