// sgd: a network's weights after a step of gradient descent. No library here has one.
#include "experiment_of.hpp"
#include "our_elementwise.hpp"
#include "sgd/sgd.hpp"

namespace brickwork {

std::unique_ptr<Experiment> sgd_experiment(const Request& request) {
  return make_experiment<SgdOp>(
      request, {our_elementwise<SgdOp>(request.options, [](const SgdProblem& p, const PlainTensors& in,
                                                           PlainTensors& out, const ElementwisePlan& plan) {
        sgd(SgdOp::step, {in.at<float>("weights"), in.at<float>("velocity"), in.at<float>("gradient")},
            {out.at<float>("new_weights"), out.at<float>("new_velocity")}, p.P, plan);
      })});
}

}  // namespace brickwork
