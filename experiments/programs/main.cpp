#include <fmt/format.h>

#include <algorithm>

#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/process/program.hpp"
#include "experiments/harness/process/threads.hpp"
#include "experiments/harness/rows/environment.hpp"
#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/terminal/list.hpp"
#include "experiments/harness/terminal/screen.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/choose_tuning.hpp"
#include "primitives/op/kokkos_scope.hpp"

using namespace brickwork;

namespace {

ExitCode print_plans(const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.problems().size(); ++i) {
    for (const auto& [contender, plan] : experiment.plans(i)) {
      show(fmt::format("{:<10} {:<18} {}\n", experiment.problems()[i].name, contender,
                       plan ? *plan : fmt::format("{}: {}", to_string(plan.status()), plan.reason())));
    }
  }
  return exit_ok;
}

// A calibration takes seconds: only for those who ask for it, and only when everything else is known to be right.
bool wants_tuning(const Experiment& experiment, const Options& options) {
  return !options.tuning_text.empty() || std::ranges::any_of(experiment.contenders(), &ContenderInfo::tuned);
}

ExitCode run(Options options) {
  const auto table = experiment_table();
  std::unique_ptr<Experiment> experiment;
  const auto entry = std::ranges::find(table, options.experiment, &ExperimentEntry::name);
  try {
    refuse_engine_variables();
    if (options.list) {
      print_list(table, options);
      return exit_ok;
    }
    experiment = entry->make({*entry, table, options});
    if (wants_tuning(*experiment, options)) choose_tuning(options);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  if (options.print_plan) return print_plans(*experiment);
  return run_experiment(*experiment, entry->figure, options);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    const auto options = parse_options(argc, argv, experiment_table());
    if (!options) return exit_ok;
    use_threads(options->threads);
    const KokkosScope kokkos(options->threads);
    catch_interrupts();
    return run(*options);
  });
}
