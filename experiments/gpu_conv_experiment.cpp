// gpu-conv-forward, gpu-conv-backward, gpu-conv-update: the passes of a network's convolutions on a GPU, our loops
// around each brick beside the libraries.
#include "conv_baselines.hpp"
#include "gpu_conv_passes.hpp"
#include "in_asked_precision.hpp"
#include "layers.hpp"

namespace brickwork {
namespace {

template <Operation Op>
std::vector<Contender<Op>> cudnn(Precision precision) {
  return {cudnn_conv<Op>(precision), cudnn_conv_transforms<Op>(precision)};
}

}  // namespace

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

}  // namespace brickwork
