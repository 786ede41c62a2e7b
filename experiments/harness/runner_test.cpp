#include "runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "testing/csv_table.hpp"
#include "testing/fake_experiment.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

class Runner : public testing::Test {
 protected:
  Runner() {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("runner_test_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    options_.experiment = "fake";
    options_.samples = 3;
    options_.min_time = 1e-4;
    options_.out = folder_;
  }

  fs::path folder_;
  Options options_;
  const FakeContender right_{"right", right_answer};
  const FakeContender wrong_{"wrong", [](auto, auto output) { std::ranges::fill(output, 0.0F); }};
  const FakeContender throwing_{"throwing", [](auto, auto) { throw std::runtime_error("the library refuses"); }};
  const FakeContender absent_{"absent", right_answer, Status::absent, "its library is missing"};
  const FakeContender unsupported_{"unsupported", right_answer, Status::unsupported, "not this problem"};
  const FakeContender misfit_{"misfit", right_answer, Status::misfit, "its plan is too large"};
};

TEST_F(Runner, WritesARowForEverySampleAndEveryReason) {
  const auto experiment = fake_experiment({right_, wrong_, absent_, unsupported_, misfit_, throwing_});
  EXPECT_EQ(run_experiment(experiment, "layers", options_), exit_failed);

  const CsvTable table(folder_ / "samples.csv");
  std::map<std::string, int> rows;
  std::set<std::vector<std::string>> keys;
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
    }
    EXPECT_EQ(table.at(i, "figure"), "layers");
    EXPECT_EQ(table.at(i, "shapes"), "fakes");
    EXPECT_EQ(table.at(i, "problems"), "1");
    if (contender == "right") {
      EXPECT_EQ(table.at(i, "plan"), "n,\"kb\"");
    }
  }
  const std::map<std::string, int> expected{
      {"stream run ok", 10},    {"fma-peak run ok", 3},   {"right run ok", 3},
      {"right pack ok", 3},     {"wrong run failed", 1},  {"throwing run failed", 1},
      {"absent run absent", 1}, {"misfit run misfit", 1}, {"unsupported run unsupported", 1}};
  EXPECT_EQ(rows, expected);

  std::ifstream in(folder_ / "environment.json");
  const auto environment = nlohmann::json::parse(in);
  EXPECT_EQ(environment.at("exit_code"), 1);
  for (const char* key : {"date", "cpu", "compiler", "compiler_flags", "libraries", "git", "openmp_runtimes",
                          "environment_variables", "kokkos_configuration", "load_average_start", "peak_memory_bytes"}) {
    EXPECT_TRUE(environment.contains(key)) << key;
  }
  EXPECT_EQ(environment.at("openmp_runtimes").size(), 1U) << environment.at("openmp_runtimes");
  EXPECT_TRUE(fs::exists(folder_ / "google-benchmark" / "size3.json"));
}

TEST_F(Runner, SucceedsWhereSomeAreSkipped) {
  EXPECT_EQ(run_experiment(fake_experiment({right_, absent_}), "layers", options_), exit_ok);
}

TEST_F(Runner, ChecksWithoutTiming) {
  options_.check_only = true;
  EXPECT_EQ(run_experiment(fake_experiment({right_, wrong_}), "layers", options_), exit_failed);
  const CsvTable table(folder_ / "samples.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.at(0, "status"), "ok");
  EXPECT_EQ(table.at(0, "max_error"), "0");
  EXPECT_EQ(table.at(0, "seconds"), "");
  EXPECT_EQ(table.at(1, "status"), "failed");
}

TEST_F(Runner, KeepsToTheTimeBudgetWithAtLeastThreeSamples) {
  options_.samples = 1000;
  options_.min_time = 0.01;
  options_.time_budget = 1e-3;
  EXPECT_EQ(run_experiment(fake_experiment({right_}), "layers", options_), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  EXPECT_EQ(table.rows(), 10U + 3 * 3);  // stream; run, pack and peak
}

TEST_F(Runner, IsNoSuccessWithoutAnyTime) {
  EXPECT_THROW(run_experiment(fake_experiment({absent_}), "layers", options_), std::runtime_error);
}

TEST_F(Runner, NeverOverwritesResults) {
  EXPECT_EQ(run_experiment(fake_experiment({right_}), "layers", options_), exit_ok);
  EXPECT_THAT([&] { run_experiment(fake_experiment({right_}), "layers", options_); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("already holds a samples.csv")));
}

}  // namespace
}  // namespace brickwork
