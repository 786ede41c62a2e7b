// One entry of the table of experiments.
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

// The input of ExperimentEntry::make: the entry, the whole table, and the command line, which outlives the experiment.
struct Request {
  const ExperimentEntry& entry;
  std::span<const ExperimentEntry> table;
  const Options& options;
};

struct ExperimentEntry {
  std::string_view name, about;
  std::string_view figure;     // how it is drawn: "layers", "latency", "ablation", "sweep", "curve", "parts"
  std::string_view shapes;     // the default of --shapes
  std::string_view sample;     // a small problem that every contender takes, for --list
  std::int64_t minibatch = 0;  // the default of --minibatch; 0: it takes none
  bool takes_threads = false;  // otherwise it runs on one thread
  bool takes_epilogue = false;
  bool takes_dtype = false;  // otherwise it is f32
  bool takes_plan = false;
  bool takes_structures = false;

  ShapeKind (*kind)();  // of its shape files
  std::unique_ptr<Experiment> (*make)(const Request&);
};

}  // namespace brickwork
