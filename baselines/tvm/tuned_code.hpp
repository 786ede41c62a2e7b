// The best code that TVM's MetaSchedule finds for a convolution: a shared library, kept in a folder so that a second
// run does not tune again. A script (tune.py) tunes, in a process of its own.
#pragma once
#include <filesystem>
#include <string>

#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::metaschedule {

struct Tuning {
  std::filesystem::path folder;  // keeps code of one processor; made if it does not exist
  int trials = 64;               // schedules that are measured
  bool (*stopped)() = nullptr;   // asked ten times a second; tuning ends early if it returns true; may be null
};

// The number of trials that a user asks for; null asks for the default. Throws std::invalid_argument with one sentence.
int number_of_trials(const char* text);

// The channels of an innermost block of src and of dst.
struct Blocks {
  explicit Blocks(const ConvProblem&);
  std::int64_t c, k;
};

struct TunedCode {
  std::filesystem::path library;
  double seconds = 0;  // that tuning took, in this run or an earlier one
  std::string plan;    // "trials=64 tiles=... parallel=32 unroll=64"
};

// Returns the kept code of this version of TVM for the problem, threads and trials, or tunes. The library has the
// function main(src, weights, bias and residual if the problem has them, dst) of blocked tensors; src has its padding.
// Throws std::runtime_error with one sentence if tuning fails.
TunedCode tuned_code(const ConvProblem&, int threads, const Tuning&);

std::string version();  // of TVM

}  // namespace brickwork::metaschedule
