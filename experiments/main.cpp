#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "build_info.hpp"
#include "environment.hpp"
#include "experiments.hpp"
#include "interrupt.hpp"
#include "list.hpp"
#include "runner.hpp"
#include "screen.hpp"
#include "threads.hpp"
#include "tuning/tuning.hpp"
#include "tuning/tuning_cache.hpp"

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

// A calibration takes a second: only for those who run that brick, and only when everything else is known to be right.
bool wants_tuning(const Experiment& experiment, const Options& options) {
  return !options.tuning_text.empty() ||
         std::ranges::any_of(experiment.contenders(), [](const ContenderInfo& contender) {
           return contender.library.name == to_string(Backend::simd);
         });
}

void choose_tuning(Options& options) {
  const ChosenTuning chosen = find_tuning(options.tuning_text, options.isa, build_info::version);
  options.tuning = chosen.tuning;
  options.tuning_text = to_string(chosen.tuning);
  options.tuning_from = chosen.from;
  options.tuning_warning = chosen.warning;
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
    if (!options.print_plan && wants_tuning(*experiment, options)) choose_tuning(options);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  if (options.print_plan) return print_plans(*experiment);
  return run_experiment(*experiment, entry->figure, options);
}

ExitCode run(int argc, char** argv) {
  try {
    const auto options = parse_options(argc, argv, experiment_table());
    if (!options) return exit_ok;
    use_threads(options->threads);
    const Kokkos::ScopeGuard kokkos(
        Kokkos::InitializationSettings().set_num_threads(options->threads).set_disable_warnings(true));
    catch_interrupts();
    return run(*options);
  } catch (const UsageError& e) {
    complain(e.message);
    return exit_usage;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  open_screen();
  const ExitCode code = run(argc, argv);
  const std::string error = screen_error();
  if (error.empty()) return code;
  complain(fmt::format("standard output cannot be written: {}", error));
  return code == exit_ok ? exit_failed : code;
}
