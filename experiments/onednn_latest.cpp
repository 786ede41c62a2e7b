// The experiments of brickwork-onednn-latest: our oneDNN baselines alone, compiled against the newest oneDNN, for the
// contenders that brickwork measures in that process (baselines/onednn_latest.hpp). It has brickwork's command line.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <oneapi/dnnl/dnnl.hpp>

#include "add_baselines.hpp"
#include "attention_baselines.hpp"
#include "batch_norm_baselines.hpp"
#include "brgemm_baselines.hpp"
#include "conv_baselines.hpp"
#include "experiment_of.hpp"
#include "fc_baselines.hpp"
#include "gnmt_baselines.hpp"
#include "network_baselines.hpp"
#include "pool_baselines.hpp"
#include "rnn_baselines.hpp"
#include "sgd_op.hpp"
#include "softmax_loss_ops.hpp"

namespace brickwork {
namespace {

// The OpenCL below SYCL learns from a variable where the driver of the CPU is: beside the library, in its package.
void name_cpu_driver() {
  Dl_info library{};
  if (dladdr(dlsym(RTLD_DEFAULT, "dnnl_version"), &library) == 0) return;
  const auto driver = std::filesystem::path(library.dli_fname).parent_path() / "libintelocl.so";
  if (std::filesystem::exists(driver)) setenv("OCL_ICD_FILENAMES", driver.c_str(), 0);
}

template <Operation Op>
std::unique_ptr<Experiment> experiment(const Request& request, Contender<Op> contender) {
  name_cpu_driver();
  if (dnnl::engine::get_count(dnnl::engine::kind::cpu) == 0) {
    contender.library.absent =
        fmt::format("oneDNN {} finds no CPU device: its OpenCL driver is not there or does not take this processor",
                    contender.library.version);
  }
  return make_experiment<Op>(request, {std::move(contender)});
}

// What the library has no primitive for.
template <Operation Op>
std::unique_ptr<Experiment> experiment_of_nobody(const Request& request) {
  return make_experiment<Op>(request, {});
}

}  // namespace

std::unique_ptr<Experiment> conv_forward_experiment(const Request& request) {
  return experiment(request, onednn_conv());
}

std::unique_ptr<Experiment> conv_backward_experiment(const Request& request) {
  return experiment(request, onednn_conv_backward_data());
}

std::unique_ptr<Experiment> conv_update_experiment(const Request& request) {
  return experiment(request, onednn_conv_weight_update());
}

std::unique_ptr<Experiment> fc_forward_experiment(const Request& request) {
  return experiment(request, onednn_fc_forward());
}

std::unique_ptr<Experiment> fc_backward_experiment(const Request& request) {
  return experiment(request, onednn_fc_backward_data());
}

std::unique_ptr<Experiment> fc_update_experiment(const Request& request) {
  return experiment(request, onednn_fc_weight_update());
}

std::unique_ptr<Experiment> gpu_kernel_experiment(const Request& request) {
  return experiment_of_nobody<BrgemmLeagueOp>(request);
}

std::unique_ptr<Experiment> gpu_conv_forward_experiment(const Request& request) {
  return experiment_of_nobody<ConvForwardOp>(request);
}

std::unique_ptr<Experiment> gpu_conv_backward_experiment(const Request& request) {
  return experiment_of_nobody<ConvBackwardDataOp>(request);
}

std::unique_ptr<Experiment> gpu_conv_update_experiment(const Request& request) {
  return experiment_of_nobody<ConvWeightUpdateOp>(request);
}

std::unique_ptr<Experiment> gpu_fc_forward_experiment(const Request& request) {
  return experiment_of_nobody<FcForwardOp>(request);
}

std::unique_ptr<Experiment> gpu_fc_backward_experiment(const Request& request) {
  return experiment_of_nobody<FcBackwardDataOp>(request);
}

std::unique_ptr<Experiment> gpu_fc_update_experiment(const Request& request) {
  return experiment_of_nobody<FcWeightUpdateOp>(request);
}

std::unique_ptr<Experiment> gpu_rnn_inference_experiment(const Request& request) {
  return experiment_of_nobody<RnnInferenceOp>(request);
}

std::unique_ptr<Experiment> gpu_rnn_forward_experiment(const Request& request) {
  return experiment_of_nobody<RnnForwardOp>(request);
}

std::unique_ptr<Experiment> gpu_rnn_backward_experiment(const Request& request) {
  return experiment_of_nobody<RnnBackwardOp>(request);
}

std::unique_ptr<Experiment> attention_forward_experiment(const Request& request) {
  return experiment(request, onednn_attention_forward());
}

std::unique_ptr<Experiment> attention_backward_experiment(const Request& request) {
  return experiment(request, onednn_attention_backward());
}

std::unique_ptr<Experiment> gnmt_stack_experiment(const Request& request) { return experiment(request, onednn_gnmt()); }

std::unique_ptr<Experiment> rnn_inference_experiment(const Request& request) {
  return experiment(request, onednn_rnn_inference());
}

std::unique_ptr<Experiment> rnn_forward_experiment(const Request& request) {
  return experiment(request, onednn_rnn_forward());
}

std::unique_ptr<Experiment> rnn_backward_experiment(const Request& request) {
  return experiment(request, onednn_rnn_backward());
}

std::unique_ptr<Experiment> rnn_backward_data_experiment(const Request& request) {
  return experiment(request, onednn_rnn_backward_data());
}

std::unique_ptr<Experiment> rnn_update_experiment(const Request& request) {
  return experiment(request, onednn_rnn_weight_update());
}

std::unique_ptr<Experiment> brgemm_experiment(const Request& request) {
  return experiment(request, onednn_batched_matmul());
}

std::unique_ptr<Experiment> batch_norm_forward_experiment(const Request& request) {
  return experiment(request, onednn_batch_norm());
}

std::unique_ptr<Experiment> batch_norm_inference_experiment(const Request& request) {
  return experiment(request, onednn_batch_norm_inference());
}

std::unique_ptr<Experiment> batch_norm_backward_experiment(const Request& request) {
  return experiment(request, onednn_batch_norm_backward());
}

std::unique_ptr<Experiment> pool_forward_experiment(const Request& request) {
  return experiment(request, onednn_pool());
}

std::unique_ptr<Experiment> pool_backward_experiment(const Request& request) {
  return experiment(request, onednn_pool_backward());
}

std::unique_ptr<Experiment> add_experiment(const Request& request) { return experiment(request, onednn_add()); }

std::unique_ptr<Experiment> add_backward_experiment(const Request& request) {
  return experiment(request, onednn_add_backward());
}

std::unique_ptr<Experiment> sgd_experiment(const Request& request) { return experiment_of_nobody<SgdOp>(request); }

std::unique_ptr<Experiment> softmax_loss_experiment(const Request& request) {
  return experiment_of_nobody<SoftmaxLossForwardOp>(request);
}

std::unique_ptr<Experiment> softmax_loss_backward_experiment(const Request& request) {
  return experiment_of_nobody<SoftmaxLossBackwardOp>(request);
}

std::unique_ptr<Experiment> resnet50_step_experiment(const Request& request) {
  return experiment(request, onednn_resnet());
}

std::unique_ptr<Experiment> mlp_experiment(const Request& request) { return experiment(request, onednn_mlp()); }

}  // namespace brickwork
