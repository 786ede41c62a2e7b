// gpu-conv-forward, gpu-conv-backward, gpu-conv-update: the passes of a network's convolutions on a GPU.
#include "conv_baselines.hpp"
#include "in_asked_precision.hpp"

namespace brickwork {
namespace {

template <Operation Op>
std::unique_ptr<Experiment> gpu_conv(const Request& request) {
  return in_asked_precision<Op>(request, [](Precision precision) {
    return std::vector<Contender<Op>>{cudnn_conv<Op>(precision), cudnn_conv_transforms<Op>(precision)};
  });
}

}  // namespace

std::unique_ptr<Experiment> gpu_conv_forward_experiment(const Request& request) {
  return gpu_conv<ConvForwardOp>(request);
}

std::unique_ptr<Experiment> gpu_conv_backward_experiment(const Request& request) {
  return gpu_conv<ConvBackwardDataOp>(request);
}

std::unique_ptr<Experiment> gpu_conv_update_experiment(const Request& request) {
  return gpu_conv<ConvWeightUpdateOp>(request);
}

}  // namespace brickwork
