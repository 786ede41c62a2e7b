#include "experiments/harness/run/timing.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <new>
#include <stdexcept>

#include "experiments/harness/process/interrupt.hpp"

namespace brickwork {
namespace {

constexpr const char* kCutOff = "cut_off";
constexpr double kLong = 3600;  // seconds: more than the engine ever waits for

// The engine calls `work` and cannot handle exceptions.
template <class Work>
void unless_lost(const TimedTask& task, const Work& work) {
  if (task.lost == nullptr) return work();
  if (task.lost->has_value()) return;
  try {
    work();
  } catch (const std::bad_alloc&) {
    *task.lost = {Status::unsupported, "there was not enough memory to run it again and again"};
  } catch (const std::exception& e) {
    *task.lost = {Status::failed, e.what()};
  }
}

double seconds_of_calls(const TimedTask& task, std::int64_t calls, const Clock& clock) {
  if (task.device_seconds) return task.device_seconds(calls);
  const auto start = clock();
  for (std::int64_t i = 0; i < calls; ++i) task.work();
  return std::chrono::duration<double>(clock() - start).count();
}

// Calls between two readings of the clock, so many that a reading, about 50 ns, costs less than a thousandth.
std::int64_t calls_per_iteration(const TimedTask& task, const Clock& clock) {
  if (task.evict) return 1;
  std::int64_t calls = 1;
  unless_lost(task, [&] {
    task.work();  // the first call finds caches without its data and lasts too long
    while (seconds_of_calls(task, calls, clock) < 50e-6) calls *= 2;
  });
  return calls;
}

void measure(benchmark::State& state, const TimedTask& task, std::int64_t calls, const Clock& clock) {
  if (interrupted()) {  // no work, and a time so long that the engine ends its search for iterations at once
    for (auto _ : state) state.SetIterationTime(kLong);
    state.counters[kCutOff] = 1;
    return;
  }
  unless_lost(task, [&] {
    if (!task.evict) task.work();  // the caches hold another contender's data
  });
  for (auto _ : state) {
    double seconds = kLong;
    unless_lost(task, [&] {
      if (task.evict) task.evict();
      seconds = seconds_of_calls(task, calls, clock);
    });
    state.SetIterationTime(seconds);
  }
  state.counters["calls_per_iteration"] = static_cast<double>(calls);
}

class Collector : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.counters.contains(kCutOff)) continue;
      const double calls = static_cast<double>(run.iterations) * run.counters.at("calls_per_iteration").value;
      seconds[run.run_name.function_name].push_back(run.real_accumulated_time / calls);
    }
    JSONReporter::ReportRuns(runs);
  }

  std::map<std::string, std::vector<double>> seconds;
};

void initialize_engine() {
  static const bool done = [] {
    static std::string program = "brickwork", interleave = "--benchmark_enable_random_interleaving=true";  // kept
    char* argv[] = {program.data(), interleave.data(), nullptr};
    int argc = 2;
    benchmark::Initialize(&argc, argv);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

std::vector<std::vector<double>> time_interleaved(const std::vector<TimedTask>& tasks, double min_time,
                                                  const std::filesystem::path& benchmark_json, const Clock& clock) {
  initialize_engine();
  std::ofstream file(benchmark_json);
  // The registered benchmarks refer to these tasks and must go with them, also if memory runs out.
  const struct Registered {
    ~Registered() { benchmark::ClearRegisteredBenchmarks(); }
  } registered;
  Collector collector;
  collector.SetOutputStream(&file);
  collector.SetErrorStream(&file);
  for (const TimedTask& task : tasks) {
    const std::int64_t calls = calls_per_iteration(task, clock);
    benchmark::RegisterBenchmark(
        task.name.c_str(), [&task, calls, &clock](benchmark::State& state) { measure(state, task, calls, clock); })
        ->UseManualTime()
        ->MinTime(min_time)
        ->Repetitions(task.samples);
  }
  benchmark::RunSpecifiedBenchmarks(&collector);
  file.close();
  if (interrupted())
    std::filesystem::remove(benchmark_json);  // it would hold invented times of the samples that were cut off
  if (!file) throw std::runtime_error(fmt::format("{} cannot be written", benchmark_json.string()));

  std::vector<std::vector<double>> seconds;
  for (const TimedTask& task : tasks) seconds.push_back(collector.seconds[task.name]);
  return seconds;
}

}  // namespace brickwork
