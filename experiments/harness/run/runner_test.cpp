#include "experiments/harness/run/runner.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "experiments/harness/peaks/loaded_roof.hpp"
#include "experiments/harness/peaks/machine_peak.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/harness/terminal/progress.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

class Runner : public RunTest {
 protected:
  Runner() { options_.samples = 3; }

  std::string text(const char* file) const {
    std::ifstream in(folder_ / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const FakeContender right_{"right", right_answer};
  const FakeContender wrong_{"wrong", [](auto, auto output) { std::ranges::fill(output, 0.0F); }};
  const FakeContender throwing_{"throwing", [](auto, auto) { throw std::runtime_error("the library refuses"); }};
  const FakeContender absent_{"absent", right_answer, Status::absent, "its library is missing"};
  const FakeContender unsupported_{"unsupported", right_answer, Status::unsupported, "not this problem"};
  const FakeContender misfit_{"misfit", right_answer, Status::misfit, "its plan is too large"};
};

TEST_F(Runner, WritesARowForEverySampleAndEveryReason) {
  const auto experiment = fake_experiment({right_, wrong_, absent_, unsupported_, misfit_, throwing_});
  EXPECT_EQ(run_fake(experiment, options_), exit_failed);

  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, int> rows;
  std::set<std::vector<std::string>> keys;
  const std::map<std::string, std::pair<std::string, double>> machine{
      {"stream", {"stream", 0}},
      {"fma-peak", {"fma", FmaPeak(1).flop()}},
      {"loaded-roof", {"fma-loaded", LoadedRoof(1).flop()}}};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto contender = table.at(i, "contender"), status = table.at(i, "status");
    ++rows[contender + " " + table.at(i, "phase") + " " + status];
    EXPECT_EQ(status == "ok", !table.at(i, "seconds").empty());
    EXPECT_EQ(status == "ok", table.at(i, "reason").empty());
    EXPECT_TRUE(keys.insert({table.at(i, "run"), table.at(i, "problem"), contender, table.at(i, "phase"),
                             table.at(i, "sample")})
                    .second);
    if (table.at(i, "primitive") != "machine") {
      EXPECT_EQ(table.at(i, "ours"), contender == "right" ? "yes" : "no");
      EXPECT_EQ(table.at(i, "setting"), "size=3, 1 thread, hot cache, f32");
      EXPECT_EQ(table.at(i, "size"), "3");
      EXPECT_EQ(table.at(i, "bound"), "flops");
    } else {
      const auto& [pass, flop] = machine.at(contender);
      EXPECT_EQ(table.at(i, "pass"), pass);
      if (flop != 0) {
        EXPECT_EQ(std::stod(table.at(i, "flop")), flop);
      }
    }
    EXPECT_EQ(table.at(i, "figure"), "layers");
    EXPECT_EQ(table.at(i, "shapes"), "fakes");
    EXPECT_EQ(table.at(i, "problems"), "1");
    if (contender == "right") {
      EXPECT_EQ(table.at(i, "plan"), "n,\"kb\"");
    }
  }
  const std::map<std::string, int> expected{{"stream run ok", 10},      {"fma-peak run ok", 3},
                                            {"loaded-roof run ok", 3},  {"right run ok", 3},
                                            {"right pack ok", 3},       {"wrong run failed", 1},
                                            {"throwing run failed", 1}, {"absent run absent", 1},
                                            {"misfit run misfit", 1},   {"unsupported run unsupported", 1}};
  EXPECT_EQ(rows, expected);

  const auto environment = read_json(folder_ / "environment.json");
  EXPECT_EQ(environment.at("exit_code"), 1);
  for (const char* key :
       {"date", "cpu", "compiler", "compiler_flags", "libraries", "git", "openmp_runtimes", "environment_variables",
        "kokkos_configuration", "load_average_start", "lines_of_primitives", "peak_memory_bytes"}) {
    EXPECT_TRUE(environment.contains(key)) << key;
  }
  EXPECT_EQ(environment.at("openmp_runtimes").size(), 1U) << environment.at("openmp_runtimes");
  EXPECT_TRUE(fs::exists(folder_ / "google-benchmark" / "size3.json"));
}

// The fake contender for an operation other than FakeOp that has the same tensors.
template <Operation Op>
Contender<Op> of_op(const FakeContender& fake) {
  const auto made = contender(fake);
  return {.name = made.name, .library = made.library, .ours = true, .prepare = made.prepare};
}

struct FakeCopyOp : FakeOp {
  static constexpr bool bandwidth_bound = true;
};

// Where the memory is the limit, the stream is measured among the contenders of each problem, and one that reads and
// writes as much as the problem, and nothing of FMAs.
TEST_F(Runner, MeasuresTheStreamBesideABandwidthBoundProblem) {
  const ExperimentOf<FakeCopyOp> experiment({.shapes = "fakes", .shapes_size = 1, .problems = {FakeProblem{}}},
                                            {of_op<FakeCopyOp>(right_)}, Resources{1});
  EXPECT_EQ(run_experiment(experiment, "layers", options_, steady_seconds, Machine{}), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, int> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    ++rows[fmt::format("{} {} {} {} {}", table.at(i, "problem"), table.at(i, "setting"), table.at(i, "contender"),
                       table.at(i, "phase"), table.at(i, "bound"))];
    EXPECT_EQ(table.at(i, "bytes").empty(), table.at(i, "phase") == "pack");
  }
  const std::map<std::string, int> expected{{"stream  stream run ", 10},
                                            {"size3 size=3, 1 thread, hot cache, f32 stream run bytes", 3},
                                            {"size3 size=3, 1 thread, hot cache, f32 traffic run bytes", 3},
                                            {"size3 size=3, 1 thread, hot cache, f32 right run bytes", 3},
                                            {"size3 size=3, 1 thread, hot cache, f32 right pack bytes", 3}};
  EXPECT_EQ(rows, expected);
}

// A recurrence, which reads some of its tensors again.
struct FakeRecurrentOp : FakeOp {
  static Rereads rereads(const FakeProblem&) { return {.bytes = 64 * sizeof(float), .times = 1000}; }
};

// Where its tensors do not fit L2 and are used a few times each, reading them stands beside the FMAs, with its flop.
TEST_F(Runner, MeasuresReadingBesideAProblemOfFewFlops) {
  const ExperimentOf<FakeRecurrentOp> experiment({.shapes = "fakes", .shapes_size = 1, .problems = {FakeProblem{}}},
                                                 {of_op<FakeRecurrentOp>(right_)}, Resources{1});
  const ProblemInfo& problem = experiment.problems().front();
  for (const std::int64_t beyond : {0, 1}) {
    fs::remove_all(folder_);
    const Machine machine{.l2_bytes = std::llround(problem.bytes) - beyond};
    EXPECT_EQ(run_experiment(experiment, "layers", options_, steady_seconds, machine), exit_ok);
    const CsvTable table(folder_ / "samples.csv");
    int samples = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.at(i, "contender") != "read") continue;
      ++samples;
      EXPECT_EQ(table.at(i, "primitive"), "machine");
      EXPECT_EQ(table.at(i, "pass"), "read");
      EXPECT_EQ(std::stod(table.at(i, "flop")), problem.flop);
      EXPECT_EQ(std::stod(table.at(i, "bytes")), problem.bytes + 1000 * 64 * 4);
    }
    EXPECT_EQ(samples, beyond == 0 ? 0 : options_.samples);
  }
}

// By a device's own clock, and beside nothing of the host's.
TEST_F(Runner, TimesAContenderOnADevice) {
  for (const bool cold : {false, true}) {
    options_.cold_cache = cold;
    fs::remove_all(folder_);
    FakeContender on_device = right_;
    on_device.device_seconds = [](std::int64_t runs) { return 1e-3 * static_cast<double>(runs); };
    EXPECT_EQ(run_fake(fake_experiment({on_device}), options_), exit_ok);
    const CsvTable table(folder_ / "samples.csv");
    ASSERT_EQ(table.rows(), 6U);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      EXPECT_EQ(table.at(i, "device"), "cuda");
      if (table.at(i, "phase") == "run") {
        EXPECT_DOUBLE_EQ(std::stod(table.at(i, "seconds")), 1e-3);
      }
    }
    EXPECT_TRUE(read_json(folder_ / "environment.json").contains("gpu"));
  }
}

// It was right when it was checked, in three runs.
TEST_F(Runner, ADeviceThatFailsWhileItIsTimedHasNoTimes) {
  FakeContender failing = right_, going_on = right_;
  failing.name = "failing";
  int replays = 0;
  failing.device_seconds = [&](std::int64_t runs) -> double {
    if (++replays > 4) throw std::runtime_error("a kernel failed: an illegal address was met");
    return 1e-3 * static_cast<double>(runs);
  };
  EXPECT_EQ(run_fake(fake_experiment({failing, going_on}), options_), exit_failed);
  const CsvTable table(folder_ / "samples.csv");
  int failed = 0, timed = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "contender") == "right") timed += table.at(i, "status") == "ok" ? 1 : 0;
    if (table.at(i, "contender") != "failing") continue;
    ++failed;
    EXPECT_EQ(table.at(i, "status"), "failed");
    EXPECT_EQ(table.at(i, "reason"), "a kernel failed: an illegal address was met");
    EXPECT_EQ(table.at(i, "seconds"), "");
  }
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(timed, 6);
}

TEST_F(Runner, SaysOnceWhyAContenderHasNoTimesAndAtTheEndHowOften) {
  const std::vector<FakeProblem> problems = {
      {.name = "a", .size = 1}, {.name = "b", .size = 2}, {.name = "c", .size = 3}};
  const auto lines = [&](const std::vector<FakeContender>& fakes) {
    fs::remove_all(folder_);
    testing::internal::CaptureStdout();
    run_fake(fake_experiment(fakes, problems), options_);
    std::string shown = testing::internal::GetCapturedStdout();
    std::vector<std::string> found;
    for (std::size_t at = 0; (at = shown.find(": its library", at)) != std::string::npos; ++at) {
      const auto begin = shown.rfind('\n', at) + 1;
      found.push_back(shown.substr(begin, shown.find('\n', at) - begin));
    }
    return found;
  };
  FakeContender second = absent_;
  second.name = "second";
  for (const bool check_only : {false, true}) {
    options_.check_only = check_only;
    EXPECT_THAT(lines({absent_, right_, second}),
                testing::ElementsAre("  absent, second absent on a: its library is missing",
                                     "absent, second absent on 3 problems: its library is missing"));
    const CsvTable table(folder_ / "samples.csv");
    int rows = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) rows += table.at(i, "reason") == "its library is missing";
    EXPECT_EQ(rows, 2 * 3);
  }
}

TEST_F(Runner, SucceedsWhereSomeAreSkipped) {
  EXPECT_EQ(run_fake(fake_experiment({right_, absent_}), options_), exit_ok);
}

TEST_F(Runner, AnAlgorithmMayDoWithLess) {
  Contender<FakeOp> other = contender(right_);
  other.name = "other";
  other.least_share = 0.25;
  EXPECT_EQ(run_fake(fake_experiment_of({contender(right_), other}), options_), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  const auto least_flop = [&](const std::string& name) {
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.at(i, "contender") == name) return std::stod(table.at(i, "least_flop"));
    }
    return 0.0;
  };
  EXPECT_GT(least_flop("other"), 0);
  EXPECT_EQ(4 * least_flop("other"), least_flop("right"));
}

TEST_F(Runner, ChecksWithoutTiming) {
  options_.check_only = true;
  EXPECT_EQ(run_fake(fake_experiment({right_, wrong_}), options_), exit_failed);
  const CsvTable table(folder_ / "samples.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.at(0, "status"), "ok");
  EXPECT_EQ(table.at(0, "max_error"), "0");
  EXPECT_EQ(table.at(0, "seconds"), "");
  EXPECT_EQ(table.at(1, "status"), "failed");
}

TEST_F(Runner, ChecksOnFloatsAfterIntegers) {
  const FakeContender rounding{"rounding", [](auto right, auto output) {
                                 std::ranges::transform(right, output.begin(), [](float x) { return std::round(x); });
                               }};
  EXPECT_EQ(run_fake(fake_experiment({rounding}), options_), exit_ok);
  fs::remove_all(folder_);
  options_.check_only = true;
  EXPECT_EQ(run_fake(fake_experiment({rounding, right_}), options_), exit_failed);
  const CsvTable table(folder_ / "samples.csv");
  EXPECT_EQ(table.at(0, "status"), "failed");
  EXPECT_GT(std::stod(table.at(0, "max_error")), 0.1);
  EXPECT_EQ(table.at(1, "status"), "ok");
}

TEST_F(Runner, GoesOnAfterAProblemThatCannotBeChecked) {
  const std::vector<FakeProblem> problems = {{.name = "zeros", .size = 1, .zeros = true},
                                             {.name = "long", .size = 2, .terms = (1 << 24) + 1},
                                             {.name = "huge", .size = std::int64_t{1} << 40},
                                             {.name = "last", .size = 3}};
  const std::pair<const char*, const char*> reasons[] = {
      {"zeros", "the right output is all zeros whatever the inputs are: nothing can be checked"},
      {"long", "an output is the sum of 16777217 products: f32 is exact only up to 2^24 of them"},
      {"huge", "huge needs about "}};
  for (const bool check_only : {false, true}) {
    fs::remove_all(folder_);
    options_.check_only = check_only;
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_fake(fake_experiment({right_, absent_, wrong_}, problems), options_), exit_failed);
    const std::string shown = testing::internal::GetCapturedStdout();
    const CsvTable table(folder_ / "samples.csv");
    std::map<std::string, std::set<std::string>> status;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const auto name = table.at(i, "name");
      status[name].insert(table.at(i, "status"));
      for (const auto& [problem, reason] : reasons) {
        if (problem != name) continue;
        EXPECT_THAT(table.at(i, "reason"), testing::StartsWith(reason));
        EXPECT_THAT(shown, testing::HasSubstr("  right, absent, wrong unsupported on " + name + ": " + reason));
      }
    }
    for (const char* name : {"zeros", "long", "huge"}) EXPECT_EQ(status[name], std::set<std::string>{"unsupported"});
    EXPECT_EQ(status["last"], (std::set<std::string>{"ok", "absent", "failed"}));
  }
}

// Whatever ends the run in the second problem, the first one's rows are on the disk by then.
TEST_F(Runner, WritesAProblemBeforeTheNextOneBegins) {
  for (const bool check_only : {false, true}) {
    fs::remove_all(folder_);
    options_.check_only = check_only;
    std::string seen;
    const FakeContender looking{"looking", [&](auto right, auto output) {
                                  if (right.size() == 4 * 64) seen = text("samples.csv");
                                  right_answer(right, output);
                                }};
    const std::vector<FakeProblem> problems = {{.name = "first", .size = 3}, {.name = "second", .size = 4}};
    EXPECT_EQ(run_fake(fake_experiment({looking}, problems), options_), exit_ok);
    ASSERT_THAT(seen, testing::HasSubstr(",first,"));
    EXPECT_EQ(seen.back(), '\n');
    EXPECT_EQ(seen, text("samples.csv").substr(0, seen.size()));
    EXPECT_THAT(text("samples.csv").substr(seen.size()),
                testing::AllOf(testing::HasSubstr(",second,"), testing::Not(testing::HasSubstr(",first,"))));
  }
}

// On a clock that stands still, so that the whole budget is left whenever it is asked for.
TEST_F(Runner, GivesAProblemItsShareOfTheTimeBudget) {
  options_.samples = 1000;
  options_.min_time = 1e-3;
  options_.time_budget = 0.1;
  const std::vector<FakeProblem> problems = {
      {.name = "a", .size = 1}, {.name = "b", .size = 2}, {.name = "c", .size = 3}, {.name = "d", .size = 4}};
  EXPECT_EQ(run_fake(fake_experiment({right_}, problems), options_, [] { return 0.0; }), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, int> samples;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    samples[table.at(i, "name")] += table.at(i, "contender") == "right" && table.at(i, "phase") == "run";
  }
  // A sample costs 3.5 ms and packing 3: 6 fit into a quarter of the budget and 27 into all of it.
  EXPECT_GE(samples["a"], 3);
  EXPECT_LE(samples["a"], 6);
}

TEST_F(Runner, ShowsTheMediansOfItsRowsAndTheirShareOfTheLoadedRoof) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_fake(fake_experiment({right_, wrong_}), options_), exit_failed);
  const std::string shown = testing::internal::GetCapturedStdout();
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, std::vector<double>> rates;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "status") == "ok" && table.at(i, "phase") == "run") {
      rates[table.at(i, "contender")].push_back(std::stod(table.at(i, "flop")) / std::stod(table.at(i, "seconds")));
    }
  }
  ASSERT_EQ(rates["right"].size(), 3U);
  const double rate = median(rates["right"]), share = 100 * rate / median(rates[kLoadedRoofName]);
  EXPECT_THAT(shown, testing::HasSubstr(
                         fmt::format("[1/1] only  right {:.1f} ({:.0f}%)  wrong failed  | ", 1e-9 * rate, share)));
  EXPECT_THAT(shown, testing::HasSubstr(fmt::format("\nright{:>25.1f}{:>12.1f}\n", 1e-9 * rate, share)));
  EXPECT_THAT(shown, testing::HasSubstr("  wrong failed on only: "));
  EXPECT_THAT(shown, testing::HasSubstr("results in " + folder_.string()));
}

TEST_F(Runner, ShowsHowFarTheRulesPlanIsFromTheBestThatWasFound) {
  const auto far_slower = [](auto right, auto output) {  // so that the ratio shows which way up it is
    for (int i = 0; i < 100; ++i) right_answer(right, output);
  };
  const FakeContender searched{
      .name = "right-searched", .run = far_slower, .searched_for = "right", .plan = "kb,\"n\""};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_fake(fake_experiment({right_, searched}), options_), exit_ok);
  const std::string shown = testing::internal::GetCapturedStdout();
  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, std::vector<double>> seconds;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "phase") == "run") seconds[table.at(i, "contender")].push_back(std::stod(table.at(i, "seconds")));
  }
  ASSERT_EQ(seconds["right-searched"].size(), 3U);
  EXPECT_THAT(shown, testing::HasSubstr(
                         fmt::format("\n  right-searched on only: {:.3f} times as fast as right, with kb,\"n\" (",
                                     median(seconds["right"]) / median(seconds["right-searched"]))));
}

TEST_F(Runner, TakesTimesOfOneAndTheSamePlanForNoDifference) {
  const FakeContender searched{.name = "right-searched", .run = right_answer, .searched_for = "right"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_fake(fake_experiment({right_, searched}), options_), exit_ok);
  const std::string shown = testing::internal::GetCapturedStdout();
  EXPECT_THAT(shown, testing::HasSubstr("\n  right-searched on only: no plan was faster than right's\n"));
  EXPECT_THAT(shown, testing::Not(testing::HasSubstr("times as fast")));
}

TEST_F(Runner, SaysNothingOfAPlanWhoseRuleHasNoTime) {
  const FakeContender searched{.name = "right-searched", .run = right_answer, .searched_for = "absent"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_fake(fake_experiment({absent_, searched, right_}), options_), exit_ok);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::Not(testing::HasSubstr("times as fast")));
}

TEST_F(Runner, TakesAllSamplesWhereTheTimeBudgetHasRoomForThem) {
  options_.samples = 5;
  options_.time_budget = 1e9;
  EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
  EXPECT_EQ(CsvTable(folder_ / "samples.csv").rows(), 10U + 5 + 3 + 2 * 5);  // stream; run, pack, peak and roof
}

TEST_F(Runner, KeepsToTheTimeBudgetWithAtLeastThreeSamples) {
  options_.samples = 1000;
  options_.min_time = 0.01;
  options_.time_budget = 1e-3;
  EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  EXPECT_EQ(table.rows(), 10U + 4 * 3);  // stream; run, pack, peak and roof
}

TEST_F(Runner, IsNoSuccessWithoutAnyTime) {
  EXPECT_THROW(run_fake(fake_experiment({absent_}), options_), std::runtime_error);
}

TEST_F(Runner, NeverOverwritesResults) {
  EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
  EXPECT_THAT([&] { run_fake(fake_experiment({right_}), options_); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("already holds a run's ")));
}

TEST_F(Runner, TouchesNothingInTheFolderOfAnotherRun) {
  for (const char* file : {"samples.csv", "environment.json"}) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / file) << "another's";
    EXPECT_THAT([&] { run_fake(fake_experiment({right_}), options_); },
                testing::ThrowsMessage<std::runtime_error>(folder_.string() + " already holds a run's " + file +
                                                           ": name another folder"));
    EXPECT_EQ(text(file), "another's");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  }
}

TEST_F(Runner, TheFirstCauseStandsWhereTheRecordCannotBeWrittenEither) {
  const FakeContender blocking{"blocking", [&](auto right, auto output) {
                                 fs::create_directories(folder_ / "environment.json.new");
                                 fs::create_directories(folder_ / "google-benchmark" / "size3.json");
                                 right_answer(right, output);
                               }};
  EXPECT_THAT([&] { run_fake(fake_experiment({blocking}), options_); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("size3.json cannot be written")));
}

}  // namespace
}  // namespace brickwork
