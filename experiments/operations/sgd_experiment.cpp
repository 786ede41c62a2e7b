// sgd: a network's weights after a step of gradient descent. None of the libraries has this operation.
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_elementwise.hpp"
#include "primitives/sgd/sgd.hpp"

namespace brickwork {
namespace {

std::function<void()> sgd_work(const SgdProblem& p, const PlainTensors& in, PlainTensors& out,
                               const ElementwisePlan& plan) {
  const SgdInputs from{in.at<float>("weights"), in.at<float>("velocity"), in.at<float>("gradient")};
  const SgdOutputs to{out.at<float>("new_weights"), out.at<float>("new_velocity")};
  return [=] { sgd(SgdOp::step, from, to, p.P, plan); };
}

std::unique_ptr<Experiment> sgd_experiment(const Request& request) {
  return make_experiment<SgdOp>(request, {our_elementwise<SgdOp>(request.options, sgd_work)});
}

}  // namespace

std::span<const ExperimentEntry> sgd_experiments() {
  static const ExperimentEntry entries[] = {
      layers_pass({.name = "sgd",
                   .about = "gradient descent with momentum and weight decay on a network's parameters (memory-bound)",
                   .shapes = "networks-parameters",
                   .sample = "P1000",
                   .kind = shape_kind<SgdProblem>,
                   .make = sgd_experiment}),
  };
  return entries;
}

}  // namespace brickwork
