#include "experiments/harness/run/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <new>
#include <optional>
#include <stdexcept>

#include "baselines/contender/peak_memory.hpp"
#include "experiments/harness/peaks/cache_evictor.hpp"
#include "experiments/harness/process/companion.hpp"
#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/rows/environment.hpp"
#include "experiments/harness/rows/rows.hpp"
#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/run/contender_tasks.hpp"
#include "experiments/harness/run/limits.hpp"
#include "experiments/harness/run/results_folder.hpp"
#include "experiments/harness/run/run_summary.hpp"
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
        progress_(experiment.problems().size(), options.brief, clock, machine.cache_bytes(options.threads)),
        budget_(options, experiment.problems().size(), clock),
        limits_(experiment, options, machine),
        summary_(options) {
    if (options.cold_cache && !options.check_only) {
      evict_ = [evictor = std::make_shared<CacheEvictor>(options.threads, machine)] { (*evictor)(); };
    }
    for (const ContenderInfo& contender : experiment.contenders()) {
      if (!contender.library.absent.empty()) summary_.absent(contender.name);
      if (contender.runs_elsewhere()) companions_.emplace_back(experiment, contender, options, folder);
    }
  }

  ExitCode run() {
    // A run that another process drives leaves this to that process.
    const bool measures_stream = limits_.on_host() && !options_.check_only && !options_.turns;
    if (const std::string line = summary_.absent_line(); !line.empty()) progress_.detail(line);
    if (measures_stream) measure_stream();
    Turns turns(options_, experiment_.problems().size());
    while (const auto turn = turns.next()) {
      if (nobody_reads()) break;
      run_problem(*turn);
      turns.done(*turn);
    }
    companions_.clear();  // ends their processes
    if (measures_stream && !interrupted()) measure_stream();
    progress_.summary();
    for (const std::string& line : summary_.lines(progress_)) progress_.note(line);
    if (interrupted()) {
      progress_.note(options_.keep_nothing ? "interrupted" : "interrupted: what was finished is kept");
      return exit_interrupted;
    }
    if (nobody_reads()) return exit_broken_pipe;
    if (summary_.checked() == 0) throw std::runtime_error("no contender could run any of the problems");
    if (!options_.check_only && progress_.totals().empty()) throw std::runtime_error("nothing was timed");
    return summary_.failed() > 0 ? exit_failed : exit_ok;
  }

 private:
  using Workloads = std::vector<Result<std::unique_ptr<Workload>>>;

  // One contender on one problem, first checked and then timed.
  struct Entry {
    Checked checked;
    Row row;  // the cells that all of its rows share
    std::vector<double> seconds;
    double limit = 0;  // measured in its own process; 0: use the limit of this one
    Lost lost;         // why it was right and still could not be timed
  };

  // Standard output was the only place for the results, and its reader has left.
  bool nobody_reads() const { return reader_left() && (options_.keep_nothing || options_.print_rows); }

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
        samples = turn.samples ? *turn.samples : samples_for(entries);
        try {
          limit = time_all(problem, entries, samples);
        } catch (const std::bad_alloc&) {  // thrown by a limit beside them
          lose_all(entries);
        }
        limits_.end_problem();
      }
      for (Entry& entry : entries) entry.checked = {};  // another process needs the memory
    }
    csv_.flush();  // before anything is shown: a screen that blocks or fails must not lose rows
    measure_elsewhere(turn.problem, samples, entries);
    report(problem, entries, limit);
  }

  // Integers, and in a run that only checks floats, too.
  Workloads load(std::size_t index) {
    progress_.status(fmt::format("{}: computing the right answer", experiment_.problems()[index].name));
    Workloads workloads;
    workloads.push_back(experiment_.load(index, Fill::integers));
    if (options_.check_only && workloads.front()) workloads.push_back(experiment_.load(index, Fill::floats));
    return workloads;
  }

  static Checked check(std::size_t contender, const Workloads& workloads) {
    Checked checked;
    for (const auto& workload : workloads) {
      checked = {};  // gives back the memory of the pass before
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
      summary_.count(row);
      if (checked.verdict.status != Status::ok || options_.check_only) {
        csv_.append(row);
        checked = {};
      }
      entries.push_back({std::move(checked), std::move(row), {}});
    }
    return entries;
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
      summary_.count(found->verdict);
      entries.push_back({.checked = {}, .row = found->verdict, .seconds = found->seconds, .limit = found->limit});
    }
  }

  int samples_for(const std::vector<Entry>& entries) {
    std::vector<CallCost> costs;
    CallCost slowest;
    for (const Entry& entry : entries) {
      if (!entry.checked.prepared) continue;
      costs.push_back({entry.checked.run_seconds, entry.checked.pack_seconds});
      slowest.run_seconds = std::max(slowest.run_seconds, entry.checked.run_seconds);
      slowest.pack_seconds = std::max(slowest.pack_seconds, entry.checked.pack_seconds);
    }
    // The cost of a contender in another process is unknown here: assume that of the slowest one here, and a peak.
    for (std::size_t i = 0; i < companions_.size(); ++i) costs.insert(costs.end(), {slowest, CallCost{}});
    const int samples = budget_.samples(costs);
    summary_.samples(samples);
    return samples;
  }

  // Gives the limit measured beside them, in flop/s of the loaded roof or bytes/s of the stream; 0 if nothing was
  // timed.
  double time_all(const ProblemInfo& problem, std::vector<Entry>& entries, int samples) {
    if (std::ranges::none_of(entries, [](const Entry& e) { return e.checked.prepared != nullptr; })) return 0;
    progress_.status(fmt::format("{}: timing", problem.name));
    std::vector<TimedTask> tasks;
    struct Target {
      Row row;                       // of its samples
      std::vector<double>* seconds;  // receives them, too; may be null
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
    std::vector<double> limit_seconds;
    for (auto& [task, row, shares_are_of] :
         limits_.beside(problem, problem_row(experiment_, problem, info_), samples)) {
      tasks.push_back(std::move(task));
      targets.push_back({std::move(row), shares_are_of ? &limit_seconds : nullptr});
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
    return limit_seconds.empty() ? 0 : limits_.work_of_limit(problem.bound) / median(limit_seconds);
  }

  void lose_all(std::vector<Entry>& entries) {
    for (Entry& entry : entries) {
      if (!entry.checked.prepared || entry.lost) continue;
      entry.seconds.clear();
      entry.lost = {Status::unsupported, "there was not enough memory to time it"};
      note_lost(entry);
    }
  }

  // Its check counted as passed before.
  void note_lost(Entry& entry) {
    entry.row.status = to_string(entry.lost->first);
    entry.row.reason = entry.lost->second;
    csv_.append(entry.row);
    summary_.count_lost(entry.row);
  }

  void report(const ProblemInfo& problem, const std::vector<Entry>& entries, double limit) {
    std::vector<Outcome> outcomes;
    std::vector<Refused> refused;
    for (const Entry& entry : entries) {
      outcomes.push_back({entry.row.contender, entry.row.status, entry.seconds, entry.limit,
                          entry.row.least_flop.value_or(0), entry.row.ours == "yes"});
      // An interrupt came before the limit was measured.
      if (limits_.on_host() && limit == 0 && entry.limit == 0) outcomes.back().seconds.clear();
      const bool said_before = summary_.is_absent(entry.row.contender);
      const bool brief = options_.brief && entry.row.status != to_string(Status::failed);
      if (entry.row.status != to_string(Status::ok) && !said_before && !brief) {
        refused.push_back({entry.row.contender, entry.row.status, entry.row.reason});
      }
    }
    progress_.finished(problem, outcomes, limit);
    if (options_.check_only) note_right(outcomes);
    note_searched(problem, entries, outcomes);
    for (const std::string& line : refusals_.first_met(problem.name, refused)) progress_.note(line);
  }

  void note_right(const std::vector<Outcome>& outcomes) {
    std::vector<std::string> right;
    for (const Outcome& outcome : outcomes) {
      if (outcome.status == to_string(Status::ok)) right.push_back(outcome.contender);
    }
    if (!right.empty()) progress_.detail(fmt::format("  right: {}", fmt::join(right, ", ")));
  }

  // Shows how much faster the best plan that the search found is than the default one, from the times of both in this
  // run.
  void note_searched(const ProblemInfo& problem, const std::vector<Entry>& entries,
                     const std::vector<Outcome>& outcomes) {
    for (std::size_t c = 0; c < outcomes.size(); ++c) {
      const std::string& rule = experiment_.contenders()[c].searched_for;
      const auto beside = std::ranges::find(outcomes, rule, &Outcome::contender);
      if (beside == outcomes.end() || beside->seconds.empty() || outcomes[c].seconds.empty()) continue;
      if (entries[c].row.plan == entries[static_cast<std::size_t>(beside - outcomes.begin())].row.plan) {
        progress_.detail(
            fmt::format("  {} on {}: no plan was faster than {}'s", outcomes[c].contender, problem.name, rule));
        continue;
      }
      progress_.detail(fmt::format("  {} on {}: {:.3f} times as fast as {}, with {} ({})", outcomes[c].contender,
                                   problem.name, median(beside->seconds) / median(outcomes[c].seconds), rule,
                                   entries[c].row.plan, entries[c].row.implementation));
    }
  }

  void measure_stream() {
    StreamTriad& stream = limits_.stream();
    const auto times =
        time_interleaved({{"stream/run", [&] { stream.run(); }, kStreamSamples, nullptr}}, options_.min_time,
                         folder_ / "google-benchmark" / fmt::format("stream{}.json", stream_done_));
    append_samples(stream_row(stream), times.front(), stream_done_);
    stream_done_ += kStreamSamples;
    csv_.flush();
    if (experiment_.problems().front().bound == Bound::flops) limits_.drop_stream();
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
  Progress progress_;
  Refusals refusals_;
  TimeBudget budget_;
  Limits limits_;
  RunSummary summary_;
  std::function<void()> evict_;  // empties the caches; null in a hot run
  std::deque<Companion> companions_;
  int stream_done_ = 0;
};

// The tuning is in every row; the screen shows one that is new or was asked for.
void show_beginning(const Options& options) {
  const bool kept = options.tuning_from.starts_with("kept");
  if (options.brief) return;
  if (!options.tuning_text.empty() && !kept) {
    show(fmt::format("tuning of the simd brick: {} ({})\n", options.tuning_text, options.tuning_from));
  }
  for (const auto& warning : environment_warnings(options)) show(fmt::format("warning: {}\n", warning));
}

}  // namespace

ExitCode run_experiment(const Experiment& experiment, std::string_view figure, const Options& options,
                        const RunClock& clock, const Machine& machine, PrintedRows* printed) {
  const RunInfo info{.run = utc_timestamp(),
                     .experiment = options.experiment,
                     .figure = std::string(figure),
                     .shapes = experiment.shapes(),
                     .shapes_size = experiment.shapes_size(),
                     .threads = options.threads,
                     .cache = options.cold_cache ? "cold" : "hot"};
  const ResultsFolder results(options, info.run);
  const fs::path& folder = results.path();
  SamplesCsv csv = claim_folder(folder, info, experiment, printed);
  make_folder(folder / "google-benchmark");
  EnvironmentRecord environment(folder / "environment.json", options, experiment.contenders());
  show_beginning(options);
  const auto code = static_cast<ExitCode>(
      environment.around([&] { return Runner(experiment, options, folder, info, csv, clock, machine).run(); }));
  if (!options.keep_nothing && !(options.brief && !options.out.empty())) {
    show(fmt::format("results in {}: samples.csv, environment.json, google-benchmark/; peak memory {:.0f} MB\n",
                     folder.string(), 1e-6 * static_cast<double>(peak_of_process())));
  }
  return code;
}

}  // namespace brickwork
