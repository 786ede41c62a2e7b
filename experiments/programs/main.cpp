// The program brickwork; brickwork-onednn-latest and brickwork-pytorch have the same main(), with other experiments.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "experiments/harness/process/bind_threads.hpp"
#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/process/program.hpp"
#include "experiments/harness/process/threads.hpp"
#include "experiments/harness/rows/csv_writer.hpp"
#include "experiments/harness/rows/environment.hpp"
#include "experiments/harness/run/each_experiment.hpp"
#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/terminal/list.hpp"
#include "experiments/harness/terminal/screen.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/choose_tuning.hpp"
#include "primitives/analysis/rankings/network.hpp"
#include "primitives/op/kokkos_scope.hpp"
#include "primitives/planning/tuning/ranking_weights.hpp"
#include "primitives/planning/variants/variant_columns.hpp"
#include "primitives/recursive/op/recursive_problem.hpp"

using namespace brickwork;

namespace {

// The plans are rows of a CSV file: those of variants that were measured.
ExitCode print_variants(const Experiment& experiment) {
  std::string header = csv_line(variant_columns());
  ExitCode code = exit_ok;
  for (std::size_t i = 0; i < experiment.problems().size(); ++i) {
    for (const auto& [contender, rows] : experiment.plans(i)) {
      if (!rows) {
        fmt::print(stderr, "{}, {}: {}: {}\n", experiment.problems()[i].name, contender, to_string(rows.status()),
                   rows.reason());
        code = exit_failed;
        continue;
      }
      fmt::print("{}{}", std::exchange(header, ""), *rows);
      std::fflush(stdout);
    }
  }
  return code;
}

ExitCode print_plans(const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.problems().size(); ++i) {
    for (const auto& [contender, plan] : experiment.plans(i)) {
      show(fmt::format("{:<10} {:<18} {}\n", experiment.problems()[i].name, contender,
                       plan ? *plan : fmt::format("{}: {}", to_string(plan.status()), plan.reason())));
    }
  }
  return exit_ok;
}

// A calibration takes seconds: it is made only for contenders that use it, after all other input is known to be right.
bool wants_tuning(const Experiment& experiment, const Options& options) {
  return !options.tuning_text.empty() || std::ranges::any_of(experiment.contenders(), &ContenderInfo::tuned);
}

std::unique_ptr<Experiment> make_experiment_of(const Options& options) {
  set_structure_file(options.structures);
  const auto table = experiment_table();
  const auto entry = std::ranges::find(table, options.experiment, &ExperimentEntry::name);
  return entry->make({*entry, table, options});
}

// Before anything is measured, so that a wrong option is said at once and not after the first experiment.
ExitCode run_several(const Options& options, int argc, char** argv) {
  try {
    for (const auto& experiment : options.experiments) {
      make_experiment_of(options_of(options, experiment, experiment_table()));
    }
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  return run_each_experiment(options, argc, argv);
}

ExitCode run(Options options) {
  std::unique_ptr<Experiment> experiment;
  try {
    refuse_engine_variables();
    if (options.list) {
      print_list(experiment_table(), options);
      return exit_ok;
    }
    experiment = make_experiment_of(options);
    if (wants_tuning(*experiment, options)) choose_tuning(options);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  if (options.plan_rankings) {
    const ChosenRankingNetwork chosen = find_ranking_network();
    use_ranking_network(chosen.network);
    if (!chosen.warning.empty()) fmt::print(stderr, "{}\n", chosen.warning);
  }
  if (options.plan_variants > 0) return print_variants(*experiment);
  if (options.print_plan) return print_plans(*experiment);
  const auto figure = std::ranges::find(experiment_table(), options.experiment, &ExperimentEntry::name)->figure;
  if (!options.print_rows) return run_experiment(*experiment, figure, options);
  PrintedRows rows(*options.print_rows);
  return run_experiment(*experiment, figure, options, steady_seconds, machine(), &rows);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    const auto options = parse_options(argc, argv, experiment_table());
    if (!options) return exit_ok;
    if (options->print_rows) keep_output_for_rows();
    if (options->experiments.size() > 1 && !options->list) return run_several(*options, argc, argv);
    // Another program of ours that starts this one (--turns) has decided where its threads run.
    if (!options->turns && !options->list) bind_threads(argv);
    use_threads(options->threads);
    const KokkosScope kokkos(options->threads);
    catch_interrupts();
    return run(*options);
  });
}
