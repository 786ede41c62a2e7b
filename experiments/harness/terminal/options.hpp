// The command line of brickwork as a value.
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

// Who chooses the plans of our contenders if no text is given.
enum class PlanChoice {
  rule,       // the planner
  analysed,   // the analysis of the nest
  explained,  // the analysis, and --plan prints what it has found
  variants    // nobody: --plan prints measured variants
};

enum class RowFormat { as_csv, as_json };

struct Options {
  std::string experiment;                // the one that this process measures
  std::vector<std::string> experiments;  // all that are asked for; several are measured one after the other
  std::string shapes;                    // a file or the name of a shape set; empty: the experiment's own
  std::vector<std::string> problems;     // each a text, or a name of the shape file
  std::vector<std::string> layers;       // names or patterns: only these problems of the shape file
  std::vector<std::string> contenders;
  int threads = 1;             // of every contender: the only source of this number
  bool threads_given = false;  // by --threads; otherwise `threads` is the experiment's default
  std::optional<std::int64_t> minibatch;
  Precision precision = Precision::f32;
  std::string epilogue;    // as text; empty: none was asked for
  std::string structures;  // a file of a user's own trees; empty: none
  bool cold_cache = false;
  // Many short samples: on a shared Emerald Rapids the medians of 101 samples of 2 ms agreed from run to run within
  // 2 %, those of 11 samples of 20 ms within 8 %.
  int samples = 51;
  double min_time = 0.002;            // seconds per sample
  std::optional<double> time_budget;  // seconds for the whole run
  Isa isa = Isa::best;
  // The tuning of our simd brick as --tuning gives it; main() replaces it by the chosen one, with its text and origin.
  std::string tuning_text, tuning_from, tuning_warning;
  SimdTuning tuning;
  std::string plan;
  PlanChoice plan_choice = PlanChoice::rule;
  bool print_plan = false;
  std::optional<double> plan_search;    // seconds to look for a better plan, for each contender and problem
  bool plan_rankings = false;           // a contender for each ranking of the analysis, beside the search
  std::int64_t plan_variants = 0;       // number of variants to measure, drawn at random
  std::string out;                      // empty: a folder named after time and experiment
  bool keep_nothing = false;            // no folder of results is left
  std::optional<RowFormat> print_rows;  // on standard output
  bool brief = false;                   // one line for the experiment on the screen
  bool check_only = false;
  bool list = false;
  bool turns = false;        // another process says which problem is measured when: turns.hpp
  std::string command_line;  // as typed, for the record
};

struct UsageError {
  std::string message;  // one sentence
};

// Throws UsageError. Prints and returns nothing for --help and --version, and prints examples if there is no argument.
std::optional<Options> parse_options(int argc, char** argv, std::span<const ExperimentEntry> table);

// Options for one of the experiments, with its default of --threads. Throws UsageError if it does not take an option.
Options options_of(const Options&, const std::string& experiment, std::span<const ExperimentEntry> table);

}  // namespace brickwork
