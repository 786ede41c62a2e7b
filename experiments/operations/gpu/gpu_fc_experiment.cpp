// gpu-fc-forward, gpu-fc-backward, gpu-fc-update: the passes of fully connected layers on a GPU. Compares convolution's
// loops around each brick with the library.
#include "baselines/fc_baselines.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/gpu/gpu_conv_passes.hpp"
#include "experiments/operations/ours/in_asked_precision.hpp"
#include "experiments/operations/ours/layers.hpp"

namespace brickwork {
namespace {

ExperimentEntry gpu_fc_pass(ExperimentEntry entry) {
  entry = on_gpu(fc_pass(entry));
  entry.shapes = "gpu-fc";
  return entry;
}

std::unique_ptr<Experiment> gpu_fc_forward_experiment(const Request& request) {
  return in_asked_precision<FcForwardOp>(request, [](Precision precision) {
    return gpu_loops_and<GpuForward, FcLayers>(std::vector{cublaslt_fc<FcForwardOp>(precision)}, precision);
  });
}

std::unique_ptr<Experiment> gpu_fc_backward_experiment(const Request& request) {
  return in_asked_precision<FcBackwardDataOp>(request, [](Precision precision) {
    return gpu_loops_and<GpuBackwardData, FcLayers>(std::vector{cublaslt_fc<FcBackwardDataOp>(precision)}, precision);
  });
}

std::unique_ptr<Experiment> gpu_fc_update_experiment(const Request& request) {
  return in_asked_precision<FcWeightUpdateOp>(request, [](Precision precision) {
    return gpu_loops_and<GpuWeightUpdate, FcLayers>(std::vector{cublaslt_fc<FcWeightUpdateOp>(precision)}, precision);
  });
}

}  // namespace

std::span<const ExperimentEntry> gpu_fc_experiments() {
  static const ExperimentEntry entries[] = {
      gpu_fc_pass({.name = "gpu-fc-forward",
                   .about = "fully connected layers on a GPU, forward",
                   .make = gpu_fc_forward_experiment}),
      gpu_fc_pass({.name = "gpu-fc-backward",
                   .about = "fully connected layers on a GPU, backward by data",
                   .make = gpu_fc_backward_experiment}),
      gpu_fc_pass({.name = "gpu-fc-update",
                   .about = "fully connected layers on a GPU, weight update",
                   .make = gpu_fc_update_experiment}),
  };
  return entries;
}

}  // namespace brickwork
