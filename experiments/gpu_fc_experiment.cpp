// gpu-fc-forward, gpu-fc-backward, gpu-fc-update: the passes of fully connected layers on a GPU.
#include "fc_baselines.hpp"
#include "in_asked_precision.hpp"

namespace brickwork {
namespace {

template <Operation Op>
std::unique_ptr<Experiment> gpu_fc(const Request& request) {
  return in_asked_precision<Op>(
      request, [](Precision precision) { return std::vector<Contender<Op>>{cublaslt_fc<Op>(precision)}; });
}

}  // namespace

std::unique_ptr<Experiment> gpu_fc_forward_experiment(const Request& request) { return gpu_fc<FcForwardOp>(request); }

std::unique_ptr<Experiment> gpu_fc_backward_experiment(const Request& request) {
  return gpu_fc<FcBackwardDataOp>(request);
}

std::unique_ptr<Experiment> gpu_fc_update_experiment(const Request& request) {
  return gpu_fc<FcWeightUpdateOp>(request);
}

}  // namespace brickwork
