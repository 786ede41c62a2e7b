// The experiments of brickwork-onednn-latest: our oneDNN baselines alone, compiled against the newest oneDNN, for the
// contenders that brickwork measures in that process (baselines/elsewhere/onednn_latest.hpp). It has brickwork's
// command line.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <oneapi/dnnl/dnnl.hpp>

#include "baselines/add_baselines.hpp"
#include "baselines/attention_baselines.hpp"
#include "baselines/batch_norm_baselines.hpp"
#include "baselines/brgemm_baselines.hpp"
#include "baselines/conv_baselines.hpp"
#include "baselines/fc_baselines.hpp"
#include "baselines/gnmt_baselines.hpp"
#include "baselines/network_baselines.hpp"
#include "baselines/pool_baselines.hpp"
#include "baselines/recursive_baselines.hpp"
#include "baselines/rnn_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"

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

template <auto kContender>
ExperimentEntry by_onednn(std::string_view name) {
  return {.name = name, .about = "by the newest oneDNN", .make = [](const Request& request) {
            return experiment(request, kContender());
          }};
}

}  // namespace

// The experiments of brickwork's table in which this contender runs.
std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      conv_pass(by_onednn<onednn_conv>("conv-forward")),
      conv_pass(by_onednn<onednn_conv_backward_data>("conv-backward")),
      conv_pass(by_onednn<onednn_conv_weight_update>("conv-update")),
      fc_pass(by_onednn<onednn_fc_forward>("fc-forward")),
      fc_pass(by_onednn<onednn_fc_backward_data>("fc-backward")),
      fc_pass(by_onednn<onednn_fc_weight_update>("fc-update")),
      rnn_pass(by_onednn<onednn_rnn_inference>("rnn-inference")),
      rnn_pass(by_onednn<onednn_rnn_forward>("rnn-forward")),
      rnn_pass(by_onednn<onednn_rnn_backward>("rnn-backward")),
      recursive_pass(by_onednn<onednn_recursive_inference>("recursive-inference")),
      recursive_pass(by_onednn<onednn_recursive_training>("recursive-training")),
      attention_pass(by_onednn<onednn_attention_forward>("attention-forward")),
      attention_pass(by_onednn<onednn_attention_backward>("attention-backward")),
      kernel_alone(by_onednn<onednn_batched_matmul>("brgemm")),
      add_pass(by_onednn<onednn_add>("add")),
      add_pass(by_onednn<onednn_add_backward>("add-backward")),
      norm_pass(by_onednn<onednn_batch_norm>("batch-norm-forward")),
      norm_pass(by_onednn<onednn_batch_norm_inference>("batch-norm-inference")),
      norm_pass(by_onednn<onednn_batch_norm_backward>("batch-norm-backward")),
      pool_pass(by_onednn<onednn_pool>("pool-forward")),
      pool_pass(by_onednn<onednn_pool_backward>("pool-backward")),
      resnet_training(by_onednn<onednn_resnet>("resnet50-step")),
      mlp_training(by_onednn<onednn_mlp>("mlp")),
      gnmt_layers_training(by_onednn<onednn_gnmt>("gnmt-stack")),
  };
  return table;
}

}  // namespace brickwork
