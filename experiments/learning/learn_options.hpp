// The command line of the program learn.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "experiments/harness/terminal/options.hpp"
#include "experiments/learning/tasks.hpp"

namespace brickwork {

struct LearnOptions {
  Options run;  // threads, isa, tuning, out and the command line
  LearningTask task;
  std::string data;
  std::uint32_t seed = 1;
};

// Throws UsageError if an option is wrong. Answers --help and --version on the screen and returns nullopt.
std::optional<LearnOptions> parse_learn_options(int argc, char** argv);

}  // namespace brickwork
