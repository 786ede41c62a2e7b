#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <csignal>

#include "experiments.hpp"
#include "interrupt.hpp"
#include "list.hpp"
#include "runner.hpp"
#include "threads.hpp"

using namespace brickwork;

namespace {

ExitCode print_plans(const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.problems().size(); ++i) {
    for (const auto& [contender, plan] : experiment.plans(i)) {
      fmt::print("{:<10} {:<18} {}\n", experiment.problems()[i].name, contender,
                 plan ? *plan : fmt::format("{}: {}", to_string(plan.status()), plan.reason()));
    }
  }
  return exit_ok;
}

ExitCode run(const Options& options) {
  const auto table = experiment_table();
  std::unique_ptr<Experiment> experiment;
  const auto entry = std::ranges::find(table, options.experiment, &ExperimentEntry::name);
  try {
    if (options.list) {
      print_list(table, options);
      return exit_ok;
    }
    experiment = entry->make({*entry, table, options});
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  if (options.print_plan) return print_plans(*experiment);
  return run_experiment(*experiment, entry->figure, options);
}

}  // namespace

int main(int argc, char** argv) {
  int code = exit_failed;
  try {
    const auto options = parse_options(argc, argv, experiment_table());
    if (!options) return exit_ok;
    use_threads(options->threads);
    const Kokkos::ScopeGuard kokkos(
        Kokkos::InitializationSettings().set_num_threads(options->threads).set_disable_warnings(true));
    catch_interrupts();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is then an error of write(), with a sentence
    code = run(*options);
  } catch (const UsageError& e) {
    fmt::print(stderr, "brickwork: {}\n", e.message);
    code = exit_usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "brickwork: there is not enough memory for this problem\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "brickwork: {}\n", e.what());
  }
  return code;
}
