#include "experiments/harness/process/companion.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/rows/rows.hpp"
#include "experiments/harness/terminal/progress.hpp"
#include "primitives/planning/machine/machine.hpp"

namespace brickwork {
namespace {

constexpr int kNotLoaded = 127;  // exit code of the dynamic loader if a library is missing

// For a library with threads of its own: waiting OpenMP threads must not hold the cores that these need. OpenMP must
// not bind the first thread to a core either: the threads that it starts would inherit that core.
Surroundings surroundings(bool own_threads, int threads) {
  Surroundings surroundings{.cpus = cpus_of_team(threads), .environment = {}};
  if (own_threads) {
    surroundings.environment = {{"OMP_WAIT_POLICY", "passive"},
                                {"OMP_PROC_BIND", std::nullopt},
                                {"OMP_PLACES", std::nullopt},
                                {"GOMP_CPU_AFFINITY", std::nullopt}};
  }
  return surroundings;
}

// Whether our OpenMP threads go on spinning between parallel regions. By default they sleep after some milliseconds.
bool our_threads_stay(int threads) {
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  return threads > 1 && policy != nullptr && strcasecmp(policy, "active") == 0;
}

}  // namespace

std::string named_elsewhere(std::string_view contender, std::string_view machine_row) {
  return fmt::format("{}/{}", contender, machine_row);
}

Companion::Companion(const Experiment& experiment, const ContenderInfo& contender, const Options& options,
                     std::filesystem::path folder)
    : experiment_(experiment), contender_(contender), options_(options), folder_(std::move(folder)) {}

std::vector<std::string> Companion::command(const std::filesystem::path& folder) const {
  std::vector<std::string> argv{contender_.elsewhere->program,
                                "--experiment",
                                options_.experiment,
                                "--contenders",
                                contender_.elsewhere->contender,
                                "--threads",
                                std::to_string(options_.threads),
                                "--cache",
                                options_.cold_cache ? "cold" : "hot",
                                "--samples",
                                std::to_string(options_.samples),
                                "--min-time",
                                fmt::format("{}", options_.min_time),
                                "--out",
                                folder.string(),
                                "--turns"};
  if (options_.check_only) argv.emplace_back("--check");
  if (!options_.structures.empty()) argv.insert(argv.end(), {"--structures", options_.structures});
  for (const ProblemInfo& problem : experiment_.problems()) argv.insert(argv.end(), {"--problem", problem.id});
  return argv;
}

std::optional<Companion::Measured> Companion::measure(std::size_t problem, int samples, const Row& problem_row) {
  Measured measured;
  auto rows = ask({.problem = problem, .samples = samples}, problem_row);
  const bool answered = static_cast<bool>(rows);
  if (answered) {
    measured.rows = *std::move(rows);
  } else {
    measured.rows = {run_row(problem_row, experiment_.problems()[problem], contender_,
                             {.verdict = {rows.status(), rows.reason(), std::nan("")}, .prepared = nullptr})};
  }
  const auto of_contender = std::ranges::find(measured.rows, contender_.name, &Row::contender);
  if (of_contender == measured.rows.end() || (!answered && interrupted())) return std::nullopt;
  measured.verdict = *of_contender;
  const Bound bound = experiment_.problems()[problem].bound;
  const std::string limit_row = named_elsewhere(contender_.name, limit_name(bound));
  std::vector<double> limits;
  for (const Row& row : measured.rows) {
    if (row.phase != "run" || !row.seconds) continue;
    if (row.contender == contender_.name) measured.seconds.push_back(*row.seconds);
    if (row.contender == limit_row) limits.push_back(*(bound == Bound::flops ? row.flop : row.bytes) / *row.seconds);
  }
  if (!limits.empty()) measured.limit = median(limits);
  return measured;
}

Result<std::vector<Row>> Companion::ask(const Turn& turn, const Row& problem_row) {
  const auto refused = [&](Status status, std::string reason) -> Result<std::vector<Row>> {
    refusal_ = {status, std::move(reason)};
    return {refusal_->first, refusal_->second};
  };
  if (refusal_) return {refusal_->first, refusal_->second};
  if (our_threads_stay(options_.threads)) {
    return refused(Status::unsupported,
                   "OMP_WAIT_POLICY=active keeps our threads on the cores that its threads need: unset it");
  }
  try {
    if (!running_) {
      started_in_ = folder_ / (++starts_ == 1 ? contender_.name : fmt::format("{}-{}", contender_.name, starts_));
      running_.emplace(command(started_in_), surroundings(contender_.elsewhere->own_threads, options_.threads));
    }
  } catch (const std::runtime_error& e) {
    return refused(Status::absent, e.what());
  }
  running_->process.send(turn_request(turn));
  std::optional<std::string> line;
  do {
    line = running_->process.receive();
  } while (line && *line != turn_answer(turn));
  if (!line) {
    const auto end = running_->process.wait();
    running_.reset();
    if (!answered_ && end.exit_code == kNotLoaded) return refused(Status::absent, end.last_words);
    return {Status::failed, "its process ended: " + end.last_words};
  }
  answered_ = true;
  try {
    return rows_of(problem_row);
  } catch (const std::runtime_error& e) {
    running_.reset();
    return {Status::failed, e.what()};
  }
}

std::vector<Row> Companion::rows_of(const Row& problem_row) {
  const auto file = started_in_ / "samples.csv";
  if (!running_->samples) running_->samples.emplace(file);
  std::vector<Row> rows;
  bool named = false;
  for (const auto& cells : running_->samples->next_rows()) {
    Row row = measured_row(problem_row, cells);
    const bool machine = row.primitive == "machine";
    if (row.problem != problem_row.problem || (!machine && row.contender != contender_.elsewhere->contender)) continue;
    if (row.status == "ok" && !options_.check_only && !(row.sample && row.seconds > 0.0)) {
      throw std::runtime_error(fmt::format("{} has an ok row without a time", file.string()));
    }
    row.contender = machine ? named_elsewhere(contender_.name, row.contender) : contender_.name;
    named = named || !machine;
    rows.push_back(std::move(row));
  }
  if (!named && !interrupted()) {
    throw std::runtime_error(fmt::format("{} has no row of {}", file.string(), problem_row.problem));
  }
  return rows;
}

}  // namespace brickwork
