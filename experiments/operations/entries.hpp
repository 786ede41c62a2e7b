// Entries of the table of experiments. brickwork, brickwork-onednn-latest and brickwork-pytorch each have an entry for
// the same experiment: its name, description and factory come from the program, and these functions add the rest.
#pragma once
#include "experiments/harness/run/registry.hpp"

namespace brickwork {

ExperimentEntry layers_pass(ExperimentEntry);  // over the layers of a network, of any kind

ExperimentEntry conv_pass(ExperimentEntry);
ExperimentEntry fc_pass(ExperimentEntry);
ExperimentEntry rnn_pass(ExperimentEntry);
ExperimentEntry recursive_pass(ExperimentEntry);
ExperimentEntry attention_pass(ExperimentEntry);
ExperimentEntry add_pass(ExperimentEntry);
ExperimentEntry norm_pass(ExperimentEntry);
ExperimentEntry pool_pass(ExperimentEntry);
ExperimentEntry kernel_alone(ExperimentEntry);
ExperimentEntry resnet_training(ExperimentEntry);
ExperimentEntry mlp_training(ExperimentEntry);
ExperimentEntry gnmt_layers_training(ExperimentEntry);

ExperimentEntry on_gpu(ExperimentEntry);  // takes --dtype, but no --plan

}  // namespace brickwork
