#include <fmt/format.h>
#include <omp.h>

#include <Kokkos_Core.hpp>
#include <csignal>

#include "experiments.hpp"
#include "interrupt.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "runner.hpp"

using namespace brickwork;

namespace {

int threads_of(const Options& options) {
  if (options.threads > 0) return options.threads;
  return options.experiment == "brgemm" ? 1 : machine().usable_cores;
}

int run(const Options& options) {
  if (options.list) {
    print_list(options);
    return exit_ok;
  }
  std::unique_ptr<Experiment> experiment;
  try {
    experiment = make_experiment(options);
  } catch (const std::invalid_argument& e) {
    throw UsageError{e.what()};
  }
  if (options.print_plan) {
    for (std::size_t i = 0; i < experiment->problems().size(); ++i) {
      for (const auto& [contender, plan] : experiment->plans(i)) {
        fmt::print("{:<10} {:<10} {}\n", experiment->problems()[i].name, contender, plan);
      }
    }
    return exit_ok;
  }
  return run_experiment(*experiment, options, threads_of(options));
}

}  // namespace

int main(int argc, char** argv) {
  int code = exit_failed;
  try {
    const auto options = parse_options(argc, argv);
    if (!options) return exit_ok;
    const int threads = threads_of(*options);
    omp_set_num_threads(threads);
    const Kokkos::ScopeGuard kokkos(
        Kokkos::InitializationSettings().set_num_threads(threads).set_disable_warnings(true));
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
