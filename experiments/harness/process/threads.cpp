#include "experiments/harness/process/threads.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {
namespace {

// Says what keeps OpenMP from running `threads` threads, and what to do; nullopt if they run. Reads OpenMP's settings
// and not its variables: the settings have other sources, too.
std::optional<std::string> obstacle(int threads) {
  // The number may be right now and change during the run.
  if (omp_get_dynamic()) return "OMP_DYNAMIC lets OpenMP run fewer when the machine is busy: unset it";
  const int running = openmp_team().threads;
  if (running == threads) return std::nullopt;
  if (omp_get_max_active_levels() < 1) return "OMP_MAX_ACTIVE_LEVELS=0 gives parallel regions only one: unset it";
  if (omp_get_thread_limit() == running) {
    return fmt::format("OMP_THREAD_LIMIT={0} allows no more than {0}: unset it, or ask for --threads {0}", running);
  }
  return fmt::format("OpenMP runs only {0}: ask for --threads {0}", running);
}

}  // namespace

void use_threads(int threads) {
  const char* kokkos = std::getenv("KOKKOS_NUM_THREADS");
  if (kokkos != nullptr && kokkos != std::to_string(threads)) {
    throw UsageError{
        fmt::format("KOKKOS_NUM_THREADS={}, but {} thread{} asked for: unset it; --threads sets the number", kokkos,
                    threads, threads == 1 ? " was" : "s were")};
  }
  omp_set_num_threads(threads);
  if (threads == 1) return;
  if (const auto why = obstacle(threads)) {
    throw UsageError{fmt::format("{} threads were asked for, but {}", threads, *why)};
  }
}

std::optional<std::string> shared_cores_warning() {
  const Team team = openmp_team();
  if (team.cores >= team.threads) return std::nullopt;
  return fmt::format(
      "{} threads share {} core{}: OMP_PLACES, GOMP_CPU_AFFINITY or taskset allows no more; give each thread a core, "
      "or "
      "ask for --threads {}",
      team.threads, team.cores, team.cores == 1 ? "" : "s", team.cores);
}

std::optional<std::string> quota_warning(int threads, const Machine& machine) {
  if (threads <= machine.cpu_quota) return std::nullopt;
  const int fewer = machine.default_threads();
  return fmt::format(
      "{} thread{} with a quota of {:g} CPU{} {} stopped again and again: raise the quota of the cgroup or container{}",
      threads, threads == 1 ? "" : "s", machine.cpu_quota, machine.cpu_quota == 1 ? "" : "s",
      threads == 1 ? "is" : "are", fewer < threads ? fmt::format(", or ask for --threads {}", fewer) : "");
}

}  // namespace brickwork
