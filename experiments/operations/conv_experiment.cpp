// conv-forward, conv-backward, conv-update: the passes of a network's convolutions. Compares our loops around each
// backend of the brick with the libraries.
#include "baselines/conv_baselines.hpp"
#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/elsewhere/tvm_elsewhere.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/conv_passes.hpp"
#include "experiments/operations/ours/layers.hpp"
#include "experiments/operations/ours/winograd_passes.hpp"

namespace brickwork {
namespace {

std::unique_ptr<Experiment> conv_forward_experiment(const Request& request) {
  return make_experiment(request, our_loops_and<ForwardPass<ConvLayers>>(
                                      {winograd_loops<WinogradForwardPass>(request.options), onednn_conv(),
                                       onednn_latest("onednn-latest", onednn_conv()), libxsmm_dnn_conv(), im2col_conv(),
                                       small_gemm_conv(), tvm_elsewhere<ConvForwardOp>()},
                                      request.options));
}

std::unique_ptr<Experiment> conv_backward_experiment(const Request& request) {
  return make_experiment(
      request, our_loops_and<BackwardDataPass<ConvLayers>>(
                   {winograd_loops<WinogradBackwardPass>(request.options), onednn_conv_backward_data(),
                    onednn_latest("onednn-latest", onednn_conv_backward_data()), libxsmm_dnn_conv_backward_data(),
                    col2im_conv_backward_data()},
                   request.options));
}

std::unique_ptr<Experiment> conv_update_experiment(const Request& request) {
  return make_experiment(request, our_loops_and<WeightUpdatePass<ConvLayers>>(
                                      {winograd_loops<WinogradUpdatePass>(request.options), onednn_conv_weight_update(),
                                       onednn_latest("onednn-latest", onednn_conv_weight_update()),
                                       libxsmm_dnn_conv_weight_update(), im2col_conv_weight_update()},
                                      request.options));
}

}  // namespace

std::span<const ExperimentEntry> conv_experiments() {
  static const ExperimentEntry entries[] = {
      conv_pass({.name = "conv-forward",
                 .about = "convolution forward, layers of a network",
                 .make = conv_forward_experiment}),
      conv_pass({.name = "conv-backward",
                 .about = "convolution backward by data, layers of a network",
                 .make = conv_backward_experiment}),
      conv_pass({.name = "conv-update",
                 .about = "convolution weight update, layers of a network",
                 .make = conv_update_experiment}),
  };
  return entries;
}

}  // namespace brickwork
