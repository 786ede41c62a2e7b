// The experiments of brickwork-tvm: convolutions and fully connected layers by TVM's MetaSchedule, for the contender
// that brickwork measures in that process (baselines/elsewhere/tvm_elsewhere.hpp). It has brickwork's command line.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

#include "baselines/tvm/tvm_conv.hpp"
#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "primitives/planning/machine/machine.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

namespace brickwork {
namespace {

// Tuned code is kept beside the bricks' tunings, in a folder for each processor.
metaschedule::Tuning tuning_here() {
  const auto folder = tuning_folder();
  if (!folder) {
    throw std::invalid_argument("there is no folder in which to keep tuned code: set HOME or XDG_CACHE_HOME");
  }
  std::string processor = machine().cpu + "-" + machine().cpu_id;
  std::ranges::replace_if(
      processor, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return {.folder = *folder / "tvm" / processor,
          .trials = metaschedule::number_of_trials(std::getenv("BRICKWORK_TVM_TRIALS")),
          .stopped = interrupted};
}

template <Operation Op>
ExperimentEntry by_tvm(std::string_view name) {
  return {.name = name, .about = "by TVM's MetaSchedule", .make = [](const Request& request) {
            return make_experiment<Op>(request, {metaschedule::forward<Op>(tuning_here())});
          }};
}

}  // namespace

// The experiments of brickwork's table in which this contender runs.
std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      conv_pass(by_tvm<ConvForwardOp>("conv-forward")),
      fc_pass(by_tvm<FcForwardOp>("fc-forward")),
  };
  return table;
}

}  // namespace brickwork
