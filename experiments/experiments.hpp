// The experiments there are. Adding one: its <name>_experiment.cpp and a line in the table of experiments.cpp.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "options.hpp"

namespace brickwork {

std::vector<std::string> experiment_names();

// Throws std::invalid_argument with one sentence on shapes, problems, layers or contenders that are wrong.
std::unique_ptr<Experiment> make_experiment(const Options&);

// --list: experiments, contenders with what keeps them from running, shape sets and their layers.
void print_list(const Options&);

std::unique_ptr<Experiment> make_conv_forward_experiment(const Options&);
std::unique_ptr<Experiment> make_brgemm_experiment(const Options&);

// The contenders of an experiment with the reason why one cannot run here; empty when it can.
std::vector<std::pair<std::string, std::string>> conv_forward_availability(const Options&);
std::vector<std::pair<std::string, std::string>> brgemm_availability(const Options&);

}  // namespace brickwork
