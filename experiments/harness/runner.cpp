#include "runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "cache_evictor.hpp"
#include "environment.hpp"
#include "interrupt.hpp"
#include "machine.hpp"
#include "machine_peak.hpp"
#include "progress.hpp"
#include "samples_csv.hpp"
#include "timing.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

constexpr int kLeastSamples = 3;
constexpr int kPackSamples = 3;
constexpr int kStreamSamples = 5;  // at the start, and again at the end

fs::path make_output_folder(const Options& o, const std::string& run) {
  const fs::path folder =
      o.out.empty() ? fs::path("results") / fmt::format("{}-{}", run, o.experiment) : fs::path(o.out);
  if (fs::exists(folder / "samples.csv")) {
    throw std::runtime_error(fmt::format("{} already holds a samples.csv: name another folder", folder.string()));
  }
  std::error_code error;
  fs::create_directories(folder / "google-benchmark", error);
  if (error)
    throw std::runtime_error(fmt::format("the folder {} cannot be made: {}", folder.string(), error.message()));
  return folder;
}

std::vector<std::string> size_columns(const ProblemInfo& problem) {
  std::vector<std::string> names;
  for (const auto& [name, value] : problem.sizes) names.push_back(name);
  return names;
}

class Runner {
 public:
  Runner(const Experiment& experiment, const Options& options, const fs::path& folder, RunInfo info)
      : experiment_(experiment),
        options_(options),
        folder_(folder),
        info_(std::move(info)),
        csv_(folder / "samples.csv", info_, size_columns(experiment.problems().front())),
        progress_(experiment.problems().size()),
        fma_(options.threads) {
    if (options.cold_cache && !options.check_only) evictor_.emplace(options.threads, machine());
  }

  ExitCode run() {
    if (!options_.check_only) measure_stream();
    for (std::size_t i = 0; i < experiment_.problems().size() && !interrupted(); ++i) {
      run_problem(i);
      csv_.flush();
    }
    if (!options_.check_only && !interrupted()) measure_stream();
    csv_.flush();
    progress_.summary();
    if (interrupted()) return exit_interrupted;
    if (options_.check_only) fmt::print("{} checks passed, {} failed, {} skipped\n", passed_, failed_, skipped_);
    if (passed_ == 0 && failed_ == 0) throw std::runtime_error("no contender could run any of the problems");
    if (!options_.check_only && !progress_.anything_timed()) throw std::runtime_error("nothing was timed");
    return failed_ > 0 ? exit_failed : exit_ok;
  }

 private:
  // One contender on one problem, on its way from checked to timed.
  struct Entry {
    Checked checked;
    Row row;  // what all of its rows share
    std::vector<double> seconds;
  };

  void run_problem(std::size_t index) {
    const double start = progress_.elapsed();
    const ProblemInfo& problem = experiment_.problems()[index];
    progress_.status(fmt::format("{}: right answer", problem.name));
    const auto workload = experiment_.load(index, Fill::integers);
    auto entries = check_all(index, *workload);
    if (!options_.check_only && !interrupted()) {
      time_all(problem, entries, samples_for(index, start, entries));
    }
    report(problem, entries);
  }

  std::vector<Entry> check_all(std::size_t index, const Workload& workload) {
    const ProblemInfo& problem = experiment_.problems()[index];
    const auto floats = options_.check_only ? experiment_.load(index, Fill::floats) : nullptr;
    std::vector<Entry> entries;
    for (std::size_t c = 0; c < experiment_.contenders().size() && !interrupted(); ++c) {
      const ContenderInfo& contender = experiment_.contenders()[c];
      progress_.status(fmt::format("{}: checking {}", problem.name, contender.name));
      Entry entry{workload.check(c), shared_cells(problem), {}};
      if (floats && entry.checked.verdict.status == Status::ok) {
        entry.checked.prepared.reset();
        entry.checked = floats->check(c);
      }
      const Verdict& verdict = entry.checked.verdict;
      entry.row.contender = contender.name;
      entry.row.ours = contender.ours ? "yes" : "no";
      entry.row.backend = contender.library.name;
      entry.row.version = contender.library.version;
      if (const auto& prepared = entry.checked.prepared) {
        entry.row.implementation = prepared->implementation();
        entry.row.plan = prepared->plan();
        entry.row.isa = prepared->isa();
      }
      entry.row.phase = "run";
      entry.row.status = to_string(verdict.status);
      entry.row.reason = verdict.reason;
      entry.row.max_error = verdict.max_error;
      entry.row.flop = problem.flop;
      entry.row.least_flop = problem.least_flop;
      entry.row.bytes = problem.bytes;
      (verdict.status == Status::ok ? passed_ : verdict.status == Status::failed ? failed_ : skipped_) += 1;
      if (verdict.status != Status::ok || options_.check_only) csv_.append(entry.row);
      if (verdict.status != Status::ok) entry.checked.prepared.reset();
      if (options_.check_only) entry.checked.prepared.reset();
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  // As many as asked for, or as this problem's share of the time budget allows.
  int samples_for(std::size_t index, double start, const std::vector<Entry>& entries) {
    if (!options_.time_budget) return options_.samples;
    double per_sample = options_.min_time;  // of the peak
    double fixed = 0;
    for (const Entry& entry : entries) {
      if (!entry.checked.prepared) continue;
      // One more call to warm up, and half as much again because a sample ends with a whole call.
      per_sample += entry.checked.run_seconds + 1.5 * std::max(options_.min_time, entry.checked.run_seconds);
      fixed += kPackSamples * (entry.checked.pack_seconds + std::max(options_.min_time, entry.checked.pack_seconds));
    }
    const auto left = static_cast<double>(experiment_.problems().size() - index);
    const double share = (*options_.time_budget - start) / left;
    const double affordable = (share - (progress_.elapsed() - start) - fixed) / per_sample;
    const int least = std::min(kLeastSamples, options_.samples);
    const int samples = static_cast<int>(std::clamp<double>(affordable, least, options_.samples));
    if (samples < options_.samples) {
      progress_.note(fmt::format("{}: {} samples instead of {}, to keep to the time budget",
                                 experiment_.problems()[index].name, samples, options_.samples));
    }
    return samples;
  }

  void time_all(const ProblemInfo& problem, std::vector<Entry>& entries, int samples) {
    if (std::ranges::none_of(entries, [](const Entry& e) { return e.checked.prepared != nullptr; })) return;
    progress_.status(fmt::format("{}: timing", problem.name));
    std::vector<TimedTask> tasks;
    std::vector<std::pair<Row, std::vector<double>*>> targets;  // of each task: its rows, and where its times go
    CacheEvictor* const evictor = evictor_ ? &*evictor_ : nullptr;
    for (Entry& entry : entries) {
      Prepared* const prepared = entry.checked.prepared.get();
      if (prepared == nullptr) continue;
      tasks.push_back({entry.row.contender + "/run", [prepared] { prepared->run(); }, samples, evictor});
      targets.emplace_back(entry.row, &entry.seconds);
      Row pack = entry.row;
      pack.phase = "pack";
      pack.flop = pack.least_flop = pack.bytes = std::nullopt;
      tasks.push_back({entry.row.contender + "/pack", [prepared] { prepared->pack(); }, kPackSamples, evictor});
      targets.emplace_back(pack, nullptr);
    }
    Row peak = shared_cells(problem);
    peak.primitive = "machine";
    peak.pass = "fma";
    peak.contender = peak.backend = kFmaPeakName;
    peak.isa = fma_.isa();
    peak.phase = "run";
    peak.status = to_string(Status::ok);
    peak.flop = peak.least_flop = fma_.flop();
    std::vector<double> peak_seconds;
    tasks.push_back({std::string(kFmaPeakName) + "/run", [this] { fma_.run(); }, samples, nullptr});
    targets.emplace_back(peak, &peak_seconds);

    const auto times =
        time_interleaved(tasks, options_.min_time, folder_ / "google-benchmark" / (problem.id + ".json"));
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      append_samples(targets[t].first, times[t], 0);
      if (targets[t].second != nullptr) *targets[t].second = times[t];
    }
    peak_ = peak_seconds.empty() ? 0 : fma_.flop() / median(peak_seconds);
  }

  void report(const ProblemInfo& problem, const std::vector<Entry>& entries) {
    std::vector<Outcome> outcomes;
    for (const Entry& entry : entries) outcomes.push_back({entry.row.contender, entry.row.status, entry.seconds});
    if (peak_ == 0) {
      for (auto& outcome : outcomes) outcome.seconds.clear();  // an interrupt came before the peak was measured
    }
    progress_.finished(problem, outcomes, peak_);
    for (const Entry& entry : entries) {
      if (entry.checked.verdict.status != Status::ok) {
        progress_.note(
            fmt::format("  {} {} on {}: {}", entry.row.contender, entry.row.status, problem.name, entry.row.reason));
      }
    }
  }

  void measure_stream() {
    StreamTriad triad(options_.threads, machine().l3_bytes);
    const auto times =
        time_interleaved({{"stream/run", [&] { triad.run(); }, kStreamSamples, nullptr}}, options_.min_time,
                         folder_ / "google-benchmark" / fmt::format("stream{}.json", stream_done_));
    Row row;
    row.problem = row.name = row.contender = row.backend = row.pass = "stream";
    row.primitive = "machine";
    row.phase = "run";
    row.status = to_string(Status::ok);
    row.flop = row.least_flop = triad.flop();
    row.bytes = triad.bytes();
    append_samples(row, times.front(), stream_done_);
    stream_done_ += kStreamSamples;
    csv_.flush();
  }

  Row shared_cells(const ProblemInfo& problem) const {
    Row row;
    row.problem = problem.id;
    row.name = problem.name;
    row.count = problem.count;
    row.sizes = problem.sizes;
    row.primitive = experiment_.primitive();
    row.pass = experiment_.pass();
    row.dtype = problem.dtype;
    auto setting = problem.setting;
    setting.push_back(fmt::format("{} thread{}", options_.threads, options_.threads > 1 ? "s" : ""));
    setting.push_back(fmt::format("{} cache", info_.cache));
    setting.push_back(problem.dtype);
    row.setting = fmt::format("{}", fmt::join(setting, ", "));
    return row;
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
  SamplesCsv csv_;
  Progress progress_;
  FmaPeak fma_;
  std::optional<CacheEvictor> evictor_;
  double peak_ = 0;
  int stream_done_ = 0;
  int passed_ = 0, failed_ = 0, skipped_ = 0;
};

}  // namespace

ExitCode run_experiment(const Experiment& experiment, std::string_view figure, const Options& options) {
  const RunInfo info{.run = utc_timestamp(),
                     .experiment = options.experiment,
                     .figure = std::string(figure),
                     .shapes = experiment.shapes(),
                     .shapes_size = experiment.shapes_size(),
                     .threads = options.threads,
                     .cache = options.cold_cache ? "cold" : "hot"};
  const fs::path folder = make_output_folder(options, info.run);
  EnvironmentRecord environment(folder / "environment.json", options);
  for (const auto& warning : environment_warnings()) fmt::print("warning: {}\n", warning);
  try {
    const ExitCode code = Runner(experiment, options, folder, info).run();
    environment.finish(code);
    fmt::print("\npeak memory {:.0f} MB\nresults in {}: samples.csv, environment.json, google-benchmark/\n",
               1e-6 * static_cast<double>(EnvironmentRecord::peak_memory_bytes()), folder.string());
    return code;
  } catch (...) {
    environment.finish(exit_failed);
    throw;
  }
}

}  // namespace brickwork
