// The experiments of brickwork-dynet: recursive models by DyNet, for the contender that brickwork measures in that
// process (baselines/elsewhere/dynet_elsewhere.hpp). It has brickwork's command line.
#include "baselines/dynet/dynet_recursive.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"

namespace brickwork {
namespace {

template <Operation Op>
ExperimentEntry by_dynet(std::string_view name) {
  return recursive_pass({.name = name, .about = "by DyNet", .make = [](const Request& request) {
                           return make_experiment<Op>(request, {dynet::recursive<Op>()});
                         }});
}

}  // namespace

// The experiments of brickwork's table in which this contender runs.
std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      by_dynet<RecursiveInferenceOp>("recursive-inference"),
      by_dynet<RecursiveTrainingOp>("recursive-training"),
  };
  return table;
}

}  // namespace brickwork
