// fc-forward, fc-backward, fc-update: the passes of fully connected layers. Compares convolution's loops around each
// backend of the brick with the libraries.
#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/elsewhere/tvm_elsewhere.hpp"
#include "baselines/fc_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/conv_passes.hpp"
#include "experiments/operations/ours/layers.hpp"

namespace brickwork {
namespace {

std::unique_ptr<Experiment> fc_forward_experiment(const Request& request) {
  return make_experiment(request, our_loops_and<ForwardPass<FcLayers>>(
                                      {onednn_fc_forward(), onednn_latest("onednn-latest", onednn_fc_forward()),
                                       libxsmm_dnn_fc_forward(), openblas_fc_forward(), tvm_elsewhere<FcForwardOp>()},
                                      request.options));
}

std::unique_ptr<Experiment> fc_backward_experiment(const Request& request) {
  return make_experiment(request,
                         our_loops_and<BackwardDataPass<FcLayers>>(
                             {onednn_fc_backward_data(), onednn_latest("onednn-latest", onednn_fc_backward_data()),
                              libxsmm_dnn_fc_backward_data(), openblas_fc_backward_data()},
                             request.options));
}

std::unique_ptr<Experiment> fc_update_experiment(const Request& request) {
  return make_experiment(request,
                         our_loops_and<WeightUpdatePass<FcLayers>>(
                             {onednn_fc_weight_update(), onednn_latest("onednn-latest", onednn_fc_weight_update()),
                              libxsmm_dnn_fc_weight_update(), openblas_fc_weight_update()},
                             request.options));
}

}  // namespace

std::span<const ExperimentEntry> fc_experiments() {
  static const ExperimentEntry entries[] = {
      fc_pass({.name = "fc-forward", .about = "fully connected layers, forward", .make = fc_forward_experiment}),
      fc_pass(
          {.name = "fc-backward", .about = "fully connected layers, backward by data", .make = fc_backward_experiment}),
      fc_pass({.name = "fc-update", .about = "fully connected layers, weight update", .make = fc_update_experiment}),
  };
  return entries;
}

}  // namespace brickwork
