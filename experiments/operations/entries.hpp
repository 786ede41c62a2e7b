// What the lines of an operation's experiments have in common in every program that measures it. Each takes a line's
// name, what it is about and how it is made, and adds the rest.
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
