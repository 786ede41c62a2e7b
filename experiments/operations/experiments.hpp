// The table of all experiments of the program brickwork.
#pragma once
#include <span>

#include "experiments/harness/run/registry.hpp"

namespace brickwork {

std::span<const ExperimentEntry> experiment_table();

// The experiments of each operation, defined in <operation>_experiment.cpp.
std::span<const ExperimentEntry> conv_experiments();
std::span<const ExperimentEntry> fc_experiments();
std::span<const ExperimentEntry> gpu_conv_experiments();
std::span<const ExperimentEntry> gpu_fc_experiments();
std::span<const ExperimentEntry> gpu_rnn_experiments();
std::span<const ExperimentEntry> rnn_experiments();
std::span<const ExperimentEntry> recursive_experiments();
std::span<const ExperimentEntry> attention_experiments();
std::span<const ExperimentEntry> brgemm_experiments();
std::span<const ExperimentEntry> gpu_kernel_experiments();
std::span<const ExperimentEntry> add_experiments();
std::span<const ExperimentEntry> sgd_experiments();
std::span<const ExperimentEntry> batch_norm_experiments();
std::span<const ExperimentEntry> pool_experiments();
std::span<const ExperimentEntry> softmax_loss_experiments();
std::span<const ExperimentEntry> network_experiments();
std::span<const ExperimentEntry> gnmt_experiments();

}  // namespace brickwork
