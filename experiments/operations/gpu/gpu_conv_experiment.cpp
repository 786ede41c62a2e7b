// gpu-conv-forward, gpu-conv-backward, gpu-conv-update: the passes of a network's convolutions on a GPU. Compares our
// loops around each brick with the libraries.
#include "baselines/conv_baselines.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/gpu/gpu_conv_passes.hpp"
#include "experiments/operations/ours/in_asked_precision.hpp"
#include "experiments/operations/ours/layers.hpp"

namespace brickwork {
namespace {

template <Operation Op>
std::vector<Contender<Op>> cudnn(Precision precision) {
  return {cudnn_conv<Op>(precision), cudnn_conv_transforms<Op>(precision)};
}

ExperimentEntry gpu_conv_pass(ExperimentEntry entry) {
  entry = on_gpu(conv_pass(entry));
  entry.minibatch = 256;
  entry.takes_epilogue = false;
  return entry;
}

std::unique_ptr<Experiment> gpu_conv_forward_experiment(const Request& request) {
  return in_asked_precision<ConvForwardOp>(request, [](Precision precision) {
    return gpu_loops_and<GpuForward, ConvLayers>(cudnn<ConvForwardOp>(precision), precision);
  });
}

std::unique_ptr<Experiment> gpu_conv_backward_experiment(const Request& request) {
  return in_asked_precision<ConvBackwardDataOp>(request, [](Precision precision) {
    return gpu_loops_and<GpuBackwardData, ConvLayers>(cudnn<ConvBackwardDataOp>(precision), precision);
  });
}

std::unique_ptr<Experiment> gpu_conv_update_experiment(const Request& request) {
  return in_asked_precision<ConvWeightUpdateOp>(request, [](Precision precision) {
    return gpu_loops_and<GpuWeightUpdate, ConvLayers>(cudnn<ConvWeightUpdateOp>(precision), precision);
  });
}

}  // namespace

std::span<const ExperimentEntry> gpu_conv_experiments() {
  static const ExperimentEntry entries[] = {
      gpu_conv_pass({.name = "gpu-conv-forward",
                     .about = "convolution forward on a GPU, layers of a network",
                     .make = gpu_conv_forward_experiment}),
      gpu_conv_pass({.name = "gpu-conv-backward",
                     .about = "convolution backward by data on a GPU, layers of a network",
                     .make = gpu_conv_backward_experiment}),
      gpu_conv_pass({.name = "gpu-conv-update",
                     .about = "convolution weight update on a GPU, layers of a network",
                     .make = gpu_conv_update_experiment}),
  };
  return entries;
}

}  // namespace brickwork
