// What the command line asks for.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baselines/contender/precision.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {

struct ExperimentEntry;

struct Options {
  std::string experiment;
  std::string shapes;                 // a file or the name of a shape set; empty: the experiment's own
  std::vector<std::string> problems;  // as text; when there are some, shapes is not read
  std::vector<std::string> layers;    // only these of the shape file
  std::vector<std::string> contenders;
  int threads = 1;  // of every contender: the only source of this number
  std::optional<std::int64_t> minibatch;
  Precision precision = Precision::f32;
  std::string epilogue;  // as text; empty: none was asked for
  bool cold_cache = false;
  // Many short samples: on a shared Emerald Rapids the medians of 101 of 2 ms agreed from run to run within 2 %, those
  // of 11 of 20 ms within 8 %.
  int samples = 51;
  double min_time = 0.002;            // seconds per sample
  std::optional<double> time_budget;  // seconds for the whole run
  Isa isa = Isa::best;
  // Of our simd brick: as --tuning has it; main() puts what was chosen in its place, with its text and origin.
  std::string tuning_text, tuning_from, tuning_warning;
  SimdTuning tuning;
  std::string plan;
  bool print_plan = false;
  std::optional<double> plan_search;  // seconds to look for a better plan in, for each contender and problem
  std::string out;
  bool check_only = false;
  bool list = false;
  bool turns = false;        // another process says what is measured when: turns.hpp
  std::string command_line;  // as typed, for the record
};

struct UsageError {
  std::string message;  // one sentence
};

// Throws UsageError. Prints and returns nothing for --help and --version.
std::optional<Options> parse_options(int argc, char** argv, std::span<const ExperimentEntry> table);

}  // namespace brickwork
