// Lines of the table of experiments. brickwork, brickwork-onednn-latest and brickwork-pytorch each have a line for the
// same experiment: its name, a description and a factory are the program's, and the rest is added here.
#pragma once
#include "experiments/harness/run/registry.hpp"

namespace brickwork {

ExperimentEntry layers_pass(ExperimentEntry);  // over a network's layers, whatever they are

ExperimentEntry conv_pass(ExperimentEntry);
ExperimentEntry fc_pass(ExperimentEntry);
ExperimentEntry rnn_pass(ExperimentEntry);
ExperimentEntry attention_pass(ExperimentEntry);
ExperimentEntry add_pass(ExperimentEntry);
ExperimentEntry norm_pass(ExperimentEntry);
ExperimentEntry pool_pass(ExperimentEntry);
ExperimentEntry kernel_alone(ExperimentEntry);
ExperimentEntry resnet_training(ExperimentEntry);
ExperimentEntry mlp_training(ExperimentEntry);
ExperimentEntry gnmt_layers_training(ExperimentEntry);

ExperimentEntry on_gpu(ExperimentEntry);  // where our loops take no plan of the command line

}  // namespace brickwork
