// add and add-backward: a network's additions of residuals and their derivatives, ours beside oneDNN's.
#include "add/add.hpp"
#include "add_baselines.hpp"
#include "experiment_of.hpp"
#include "onednn_latest.hpp"
#include "our_elementwise.hpp"

namespace brickwork {

std::unique_ptr<Experiment> add_experiment(const Request& request) {
  const auto ours = our_elementwise<AddForwardOp>(
      request.options, [](const AddProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
        add(in.at<float>("a"), in.at<float>("b"), out.at<float>("dst"), p.elements(), p.relu, plan);
      });
  return make_experiment<AddForwardOp>(request, {ours, onednn_add(), onednn_latest("onednn-latest", onednn_add())});
}

std::unique_ptr<Experiment> add_backward_experiment(const Request& request) {
  const auto ours = our_elementwise<AddBackwardOp>(
      request.options, [](const AddProblem& p, const PlainTensors& in, PlainTensors& out, const ElementwisePlan& plan) {
        relu_backward(in.at<float>("dst"), in.at<float>("ddst"), out.at<float>("dsrc"), p.elements(), plan);
      });
  const auto onednn = onednn_add_backward();
  return make_experiment<AddBackwardOp>(request, {ours, onednn, onednn_latest("onednn-latest", onednn)});
}

}  // namespace brickwork
