#include "experiments/harness/run/runner.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "experiments/harness/peaks/loaded_roof.hpp"
#include "experiments/harness/peaks/machine_peak.hpp"
#include "experiments/harness/run/experiment_of.hpp"
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

// Beside a problem that the memory limits, the run measures the stream and the problem's own traffic, and no FMAs.
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

// A recurrence, which reads some of its tensors several times.
struct FakeRecurrentOp : FakeOp {
  static Rereads rereads(const FakeProblem&) { return {.bytes = 64 * sizeof(float), .times = 1000}; }
};

// If the tensors do not fit L2 and each is used a few times, reading them is measured beside the FMAs, with their flop.
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

// A device's own clock gives the times, and no limit of the host is measured.
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

// The first failure comes after the three runs of its check.
TEST_F(Runner, AContenderThatFailsWhileItIsTimedHasNoTimes) {
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

TEST_F(Runner, SucceedsIfSomeAreSkipped) { EXPECT_EQ(run_fake(fake_experiment({right_, absent_}), options_), exit_ok); }

TEST_F(Runner, AnAlgorithmMayNeedFewerFlops) {
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

TEST_F(Runner, FailsIfNothingWasTimed) {
  EXPECT_THROW(run_fake(fake_experiment({absent_}), options_), std::runtime_error);
}

}  // namespace
}  // namespace brickwork
