#include "experiments/harness/run/limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "experiments/harness/peaks/problem_traffic.hpp"
#include "experiments/harness/rows/rows.hpp"
#include "experiments/harness/terminal/totals.hpp"

namespace brickwork {

Limits::Limits(const Experiment& experiment, const Options& options, const Machine& machine)
    : options_(options),
      machine_(machine),
      on_host_(std::ranges::any_of(experiment.contenders(), [](const auto& c) { return c.device == "cpu"; })),
      fma_(options.threads),
      roof_(options.threads) {}

std::vector<Limits::Task> Limits::beside(const ProblemInfo& problem, const Row& problem_row, int samples) {
  std::vector<Task> tasks;
  if (!on_host_) return tasks;
  const auto measure = [&](const char* name, auto& limit, Row row, bool shares_are_of = false) {
    tasks.push_back({{.name = std::string(name) + "/run", .work = [&limit] { limit.run(); }, .samples = samples},
                     std::move(row),
                     shares_are_of});
  };
  if (problem.bound == Bound::bytes) {
    measure(kStreamName, stream(), stream_row(problem_row, stream()), true);
    moved_ = std::make_unique<MemoryTraffic>(moving_of(problem, options_.threads));
    measure(kTrafficName, *moved_, traffic_row(problem_row, problem, *moved_));
    return tasks;
  }
  measure(kFmaPeakName, fma_, fma_row(problem_row, fma_));
  measure(kLoadedRoofName, roof_, loaded_roof_row(problem_row, roof_), true);
  if (may_wait_for_memory(problem, machine_.l2_bytes * options_.threads)) {
    moved_ = std::make_unique<MemoryTraffic>(reading_of(problem, options_.threads));
    measure(kReadName, *moved_, read_row(problem_row, problem, *moved_));
  }
  return tasks;
}

double Limits::work_of_limit(Bound bound) { return bound == Bound::bytes ? stream().bytes() : roof_.flop(); }

StreamTriad& Limits::stream() {
  if (!stream_) stream_ = std::make_unique<StreamTriad>(options_.threads, machine_.cache_bytes(options_.threads));
  return *stream_;
}

}  // namespace brickwork
