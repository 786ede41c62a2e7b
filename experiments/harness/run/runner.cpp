#include "experiments/harness/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <new>
#include <optional>
#include <stdexcept>

#include "experiments/harness/peaks/cache_evictor.hpp"
#include "experiments/harness/peaks/loaded_roof.hpp"
#include "experiments/harness/peaks/machine_peak.hpp"
#include "experiments/harness/peaks/problem_traffic.hpp"
#include "experiments/harness/peaks/stream_triad.hpp"
#include "experiments/harness/process/companion.hpp"
#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/rows/environment.hpp"
#include "experiments/harness/rows/rows.hpp"
#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/run/contender_tasks.hpp"
#include "experiments/harness/run/time_budget.hpp"
#include "experiments/harness/run/timing.hpp"
#include "experiments/harness/run/turns.hpp"
#include "experiments/harness/terminal/progress.hpp"
#include "experiments/harness/terminal/refusals.hpp"
#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

constexpr int kStreamSamples = 5;  // at the start, and again at the end

class Runner {
 public:
  Runner(const Experiment& experiment, const Options& options, const fs::path& folder, RunInfo info, SamplesCsv& csv,
         const RunClock& clock, const Machine& machine)
      : experiment_(experiment),
        options_(options),
        folder_(folder),
        info_(std::move(info)),
        csv_(csv),
        machine_(machine),
        progress_(experiment.problems().size(), clock, machine.cache_bytes(options.threads)),
        budget_(options, experiment.problems().size(), clock),
        fma_(options.threads),
        roof_(options.threads),
        on_host_(std::ranges::any_of(experiment.contenders(), [](const auto& c) { return c.device == "cpu"; })) {
    if (options.cold_cache && !options.check_only) {
      evict_ = [evictor = std::make_shared<CacheEvictor>(options.threads, machine)] { (*evictor)(); };
    }
    for (const ContenderInfo& contender : experiment.contenders()) {
      if (contender.runs_elsewhere()) companions_.emplace_back(experiment, contender, options, folder);
    }
  }

  ExitCode run() {
    // Who gives us turns measures that.
    const bool measures_stream = on_host_ && !options_.check_only && !options_.turns;
    if (measures_stream) measure_stream();
    Turns turns(options_, experiment_.problems().size());
    while (const auto turn = turns.next()) {
      run_problem(*turn);
      turns.done(*turn);
    }
    companions_.clear();  // they end now
    if (measures_stream && !interrupted()) measure_stream();
    progress_.summary();
    for (const std::string& line : refusals_.met_again()) progress_.note(line);
    if (options_.check_only) {
      show(fmt::format("{} checks passed, {} failed, {} skipped\n", passed_, failed_, skipped_));
    }
    if (interrupted()) {
      progress_.note("interrupted: what was finished is kept");
      return exit_interrupted;
    }
    if (passed_ == 0 && failed_ == 0) throw std::runtime_error("no contender could run any of the problems");
    if (!options_.check_only && !progress_.anything_timed()) throw std::runtime_error("nothing was timed");
    return failed_ > 0 ? exit_failed : exit_ok;
  }

 private:
  using Workloads = std::vector<Result<std::unique_ptr<Workload>>>;

  // One contender on one problem, on its way from checked to timed.
  struct Entry {
    Checked checked;
    Row row;  // what all of its rows share
    std::vector<double> seconds;
    double limit = 0;  // of its own process; 0: that of this one
    Lost lost;         // why it could not be timed, after all
  };

  void run_problem(const Turn& turn) {
    budget_.start_problem();
    const ProblemInfo& problem = experiment_.problems()[turn.problem];
    std::vector<Entry> entries;
    int samples = options_.samples;
    double limit = 0;
    {
      const Workloads workloads = load(turn.problem);
      entries = check_all(problem, workloads);
      if (!options_.check_only && !interrupted()) {
        samples = turn.samples ? *turn.samples : samples_for(problem, entries);
        try {
          limit = time_all(problem, entries, samples);
        } catch (const std::bad_alloc&) {  // of what is measured beside them
          lose_all(entries);
        }
      }
      for (Entry& entry : entries) entry.checked = {};  // another process needs the memory
    }
    csv_.flush();  // before anything is shown: what is measured must not depend on a screen
    measure_elsewhere(turn.problem, samples, entries);
    report(problem, entries, limit);
  }

  // In a run that only checks, a second pass on floats.
  Workloads load(std::size_t index) {
    progress_.status(fmt::format("{}: right answer", experiment_.problems()[index].name));
    Workloads workloads;
    workloads.push_back(experiment_.load(index, Fill::integers));
    if (options_.check_only && workloads.front()) workloads.push_back(experiment_.load(index, Fill::floats));
    return workloads;
  }

  static Checked check(std::size_t contender, const Workloads& workloads) {
    Checked checked;
    for (const auto& workload : workloads) {
      checked = {};  // the memory of the pass before
      if (!workload) {
        checked.verdict = {workload.status(), workload.reason(), std::nan("")};
      } else {
        checked = (*workload)->check(contender);
      }
      if (checked.verdict.status != Status::ok) break;
    }
    return checked;
  }

  std::vector<Entry> check_all(const ProblemInfo& problem, const Workloads& workloads) {
    std::vector<Entry> entries;
    for (std::size_t c = 0; c < experiment_.contenders().size() && !interrupted(); ++c) {
      const ContenderInfo& contender = experiment_.contenders()[c];
      if (contender.runs_elsewhere()) continue;
      progress_.status(fmt::format("{}: checking {}", problem.name, contender.name));
      Checked checked = check(c, workloads);
      Row row = run_row(problem_row(experiment_, problem, info_), problem, contender, checked);
      count(row);
      if (checked.verdict.status != Status::ok || options_.check_only) {
        csv_.append(row);
        checked = {};
      }
      entries.push_back({std::move(checked), std::move(row), {}});
    }
    return entries;
  }

  void count(const Row& verdict) {
    const auto is = [&](Status status) { return verdict.status == to_string(status); };
    (is(Status::ok) ? passed_ : is(Status::failed) ? failed_ : skipped_) += 1;
  }

  // Adds an entry for each contender of another process.
  void measure_elsewhere(std::size_t index, int samples, std::vector<Entry>& entries) {
    const ProblemInfo& problem = experiment_.problems()[index];
    for (Companion& companion : companions_) {
      if (interrupted()) return;
      progress_.status(fmt::format("{}: {} in its process", problem.name, companion.name()));
      const auto found = companion.measure(index, samples, problem_row(experiment_, problem, info_));
      if (!found) return;
      for (const Row& row : found->rows) csv_.append(row);
      csv_.flush();
      count(found->verdict);
      entries.push_back({.checked = {}, .row = found->verdict, .seconds = found->seconds, .limit = found->limit});
    }
  }

  int samples_for(const ProblemInfo& problem, const std::vector<Entry>& entries) {
    std::vector<CallCost> costs;
    CallCost slowest;
    for (const Entry& entry : entries) {
      if (!entry.checked.prepared) continue;
      costs.push_back({entry.checked.run_seconds, entry.checked.pack_seconds});
      slowest.run_seconds = std::max(slowest.run_seconds, entry.checked.run_seconds);
      slowest.pack_seconds = std::max(slowest.pack_seconds, entry.checked.pack_seconds);
    }
    // What another process will need only its own check could tell: as much as the slowest here, and a peak.
    for (std::size_t i = 0; i < companions_.size(); ++i) costs.insert(costs.end(), {slowest, CallCost{}});
    const int samples = budget_.samples(costs);
    if (samples < options_.samples) {
      progress_.note(fmt::format("{}: {} samples instead of {}, to keep to the time budget", problem.name, samples,
                                 options_.samples));
    }
    return samples;
  }

  // The limit that was measured beside them, the loaded roof in flop/s or the stream in bytes/s; 0 where nothing was.
  double time_all(const ProblemInfo& problem, std::vector<Entry>& entries, int samples) {
    if (std::ranges::none_of(entries, [](const Entry& e) { return e.checked.prepared != nullptr; })) return 0;
    progress_.status(fmt::format("{}: timing", problem.name));
    std::vector<TimedTask> tasks;
    struct Target {
      Row row;                       // of its samples
      std::vector<double>* seconds;  // where they go, too
      const Lost* lost = nullptr;    // why they mean nothing
    };
    std::vector<Target> targets;  // of each task
    for (Entry& entry : entries) {
      if (!entry.checked.prepared) continue;
      auto [run, pack] = contender_tasks(entry.row.contender, entry.checked, samples, evict_, entry.lost);
      tasks.push_back(std::move(run));
      targets.push_back({entry.row, &entry.seconds, &entry.lost});
      tasks.push_back(std::move(pack));
      targets.push_back({pack_row(entry.row), nullptr, &entry.lost});
    }
    const Row shared = problem_row(experiment_, problem, info_);
    std::optional<MemoryTraffic> moved;
    std::vector<double> limit_seconds;
    const auto measure = [&](const char* name, auto& limit, Row row, std::vector<double>* seconds) {
      tasks.push_back({std::string(name) + "/run", [&limit] { limit.run(); }, samples, nullptr});
      targets.push_back({std::move(row), seconds});
    };
    if (on_host_ && problem.bound == Bound::bytes) {
      measure(kStreamName, stream(), stream_row(shared, stream()), &limit_seconds);
      moved.emplace(moving_of(problem, options_.threads));
      measure(kTrafficName, *moved, traffic_row(shared, problem, *moved), nullptr);
    } else if (on_host_) {
      measure(kFmaPeakName, fma_, fma_row(shared, fma_), nullptr);
      measure(kLoadedRoofName, roof_, loaded_roof_row(shared, roof_), &limit_seconds);
      if (may_wait_for_memory(problem, machine_.l2_bytes * options_.threads)) {
        moved.emplace(reading_of(problem, options_.threads));
        measure(kReadName, *moved, read_row(shared, problem, *moved), nullptr);
      }
    }

    const auto times =
        time_interleaved(tasks, options_.min_time, folder_ / "google-benchmark" / (problem.id + ".json"));
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const auto& [row, seconds, lost] = targets[t];
      if (lost != nullptr && *lost) continue;
      append_samples(row, times[t], 0);
      if (seconds != nullptr) *seconds = times[t];
    }
    for (Entry& entry : entries) {
      if (entry.lost) note_lost(entry);
    }
    if (limit_seconds.empty()) return 0;
    return (problem.bound == Bound::bytes ? stream().bytes() : roof_.flop()) / median(limit_seconds);
  }

  void lose_all(std::vector<Entry>& entries) {
    for (Entry& entry : entries) {
      if (!entry.checked.prepared || entry.lost) continue;
      entry.seconds.clear();
      entry.lost = {Status::unsupported, "there was not enough memory to time it"};
      note_lost(entry);
    }
  }

  // It was right when it was checked.
  void note_lost(Entry& entry) {
    entry.row.status = to_string(entry.lost->first);
    entry.row.reason = entry.lost->second;
    csv_.append(entry.row);
    --passed_;
    count(entry.row);
  }

  void report(const ProblemInfo& problem, const std::vector<Entry>& entries, double limit) {
    std::vector<Outcome> outcomes;
    std::vector<Refused> refused;
    for (const Entry& entry : entries) {
      outcomes.push_back(
          {entry.row.contender, entry.row.status, entry.seconds, entry.limit, entry.row.least_flop.value_or(0)});
      // An interrupt came before the limit was measured.
      if (on_host_ && limit == 0 && entry.limit == 0) outcomes.back().seconds.clear();
      if (entry.row.status != to_string(Status::ok)) {
        refused.push_back({entry.row.contender, entry.row.status, entry.row.reason});
      }
    }
    progress_.finished(problem, outcomes, limit);
    note_searched(problem, entries, outcomes);
    for (const std::string& line : refusals_.first_met(problem.name, refused)) progress_.note(line);
  }

  // How far the rule's plans are from the best that were found, from the times of both in this run.
  void note_searched(const ProblemInfo& problem, const std::vector<Entry>& entries,
                     const std::vector<Outcome>& outcomes) {
    for (std::size_t c = 0; c < outcomes.size(); ++c) {
      const std::string& rule = experiment_.contenders()[c].searched_for;
      const auto beside = std::ranges::find(outcomes, rule, &Outcome::contender);
      if (beside == outcomes.end() || beside->seconds.empty() || outcomes[c].seconds.empty()) continue;
      if (entries[c].row.plan == entries[static_cast<std::size_t>(beside - outcomes.begin())].row.plan) {
        progress_.note(
            fmt::format("  {} on {}: no plan was faster than {}'s", outcomes[c].contender, problem.name, rule));
        continue;
      }
      progress_.note(fmt::format("  {} on {}: {:.3f} times as fast as {}, with {} ({})", outcomes[c].contender,
                                 problem.name, median(beside->seconds) / median(outcomes[c].seconds), rule,
                                 entries[c].row.plan, entries[c].row.implementation));
    }
  }

  // Its arrays are there only where they are used again and again.
  StreamTriad& stream() {
    if (!stream_) stream_ = std::make_unique<StreamTriad>(options_.threads, machine_.cache_bytes(options_.threads));
    return *stream_;
  }

  void measure_stream() {
    const auto times =
        time_interleaved({{"stream/run", [this] { stream().run(); }, kStreamSamples, nullptr}}, options_.min_time,
                         folder_ / "google-benchmark" / fmt::format("stream{}.json", stream_done_));
    append_samples(stream_row(stream()), times.front(), stream_done_);
    stream_done_ += kStreamSamples;
    csv_.flush();
    if (experiment_.problems().front().bound == Bound::flops) stream_.reset();
  }

  void append_samples(Row row, const std::vector<double>& seconds, int first_sample) {
    for (std::size_t s = 0; s < seconds.size(); ++s) {
      row.sample = first_sample + static_cast<int>(s);
      row.seconds = seconds[s];
      csv_.append(row);
    }
  }

  const Experiment& experiment_;
  const Options& options_;
  fs::path folder_;
  RunInfo info_;
  SamplesCsv& csv_;
  const Machine& machine_;
  Progress progress_;
  Refusals refusals_;
  TimeBudget budget_;
  FmaPeak fma_;
  LoadedRoof roof_;
  bool on_host_;  // whether anyone runs there, whom its limits judge
  std::unique_ptr<StreamTriad> stream_;
  std::function<void()> evict_;  // where the cache is to be cold
  std::deque<Companion> companions_;
  int stream_done_ = 0;
  int passed_ = 0, failed_ = 0, skipped_ = 0;
};

// Takes the folder for this run alone: the samples.csv that it makes there is the sign for others. Before it nothing is
// touched, so that another run's record stays its own.
SamplesCsv claim(const fs::path& folder, const RunInfo& info, const Experiment& experiment) {
  make_folder(folder);
  const fs::path record = folder / "environment.json";
  if (std::error_code error; fs::exists(record, error)) refuse_to_overwrite(record);
  std::vector<std::string> sizes;
  for (const auto& [column, value] : experiment.problems().front().sizes) sizes.push_back(column);
  return {folder / "samples.csv", info, std::move(sizes)};
}

}  // namespace

ExitCode run_experiment(const Experiment& experiment, std::string_view figure, const Options& options,
                        const RunClock& clock, const Machine& machine) {
  const RunInfo info{.run = utc_timestamp(),
                     .experiment = options.experiment,
                     .figure = std::string(figure),
                     .shapes = experiment.shapes(),
                     .shapes_size = experiment.shapes_size(),
                     .threads = options.threads,
                     .cache = options.cold_cache ? "cold" : "hot"};
  const fs::path folder = options.out.empty() ? fs::path("results") / fmt::format("{}-{}", info.run, info.experiment)
                                              : fs::path(options.out);
  SamplesCsv csv = claim(folder, info, experiment);
  make_folder(folder / "google-benchmark");
  EnvironmentRecord environment(folder / "environment.json", options, experiment.contenders());
  if (!options.tuning_text.empty()) {
    show(fmt::format("tuning of the simd brick: {} ({})\n", options.tuning_text, options.tuning_from));
  }
  for (const auto& warning : environment_warnings(options)) show(fmt::format("warning: {}\n", warning));
  const auto code = static_cast<ExitCode>(
      environment.around([&] { return Runner(experiment, options, folder, info, csv, clock, machine).run(); }));
  show(fmt::format("\npeak memory {:.0f} MB\nresults in {}: samples.csv, environment.json, google-benchmark/\n",
                   1e-6 * static_cast<double>(EnvironmentRecord::peak_memory_bytes()), folder.string()));
  return code;
}

}  // namespace brickwork
