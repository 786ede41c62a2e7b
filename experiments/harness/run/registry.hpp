// What a line of the table of experiments says.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/harness/run/experiment.hpp"
#include "experiments/harness/run/shapes.hpp"
#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

struct ExperimentEntry;

// What an experiment is made from: its line, all lines, and the command line, which outlives it.
struct Request {
  const ExperimentEntry& entry;
  std::span<const ExperimentEntry> table;
  const Options& options;
};

struct ExperimentEntry {
  std::string_view name, about;
  std::string_view figure;     // how it is drawn: "layers", "sweep" over shapes, "curve", "parts" of a whole
  std::string_view shapes;     // the shape set where the user names none
  std::string_view sample;     // a problem that every contender takes, to ask who is there
  std::int64_t minibatch = 0;  // the default of --minibatch; 0: it takes none
  bool takes_threads = false;  // else it runs on one
  bool takes_epilogue = false;
  bool takes_dtype = false;  // else it is f32
  bool takes_plan = false;

  ShapeKind (*kind)();  // of its shape files
  std::unique_ptr<Experiment> (*make)(const Request&);
};

}  // namespace brickwork
