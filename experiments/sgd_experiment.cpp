// sgd: a network's weights after a step of gradient descent. No library here has one.
#include "experiment_of.hpp"
#include "our_elementwise.hpp"
#include "sgd/sgd.hpp"

namespace brickwork {
namespace {

std::function<void()> sgd_work(const SgdProblem& p, const PlainTensors& in, PlainTensors& out,
                               const ElementwisePlan& plan) {
  const SgdInputs from{in.at<float>("weights"), in.at<float>("velocity"), in.at<float>("gradient")};
  const SgdOutputs to{out.at<float>("new_weights"), out.at<float>("new_velocity")};
  return [=] { sgd(SgdOp::step, from, to, p.P, plan); };
}

}  // namespace

std::unique_ptr<Experiment> sgd_experiment(const Request& request) {
  return make_experiment<SgdOp>(request, {our_elementwise<SgdOp>(request.options, sgd_work)});
}

}  // namespace brickwork
