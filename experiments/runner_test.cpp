#include "runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "csv_table.hpp"
#include "fake_experiment.hpp"

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
  const FakeContender right_{"right", right_answer, ""};
  const FakeContender wrong_{"wrong", [](auto, auto output) { std::ranges::fill(output, 0.0F); }, ""};
  const FakeContender absent_{"absent", right_answer, "its library is missing"};
};

TEST_F(Runner, WritesARowForEverySampleAndEveryReason) {
  const FakeExperiment experiment({right_, wrong_, absent_});
  EXPECT_EQ(run_experiment(experiment, options_, 1), exit_failed);

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
    if (contender == "right") {
      EXPECT_EQ(table.at(i, "plan"), "n,\"kb\"");
      EXPECT_EQ(table.at(i, "size"), "192");
    }
  }
  const std::map<std::string, int> expected{{"stream run ok", 10}, {"fma-peak run ok", 3},  {"right run ok", 3},
                                            {"right pack ok", 3},  {"wrong run failed", 1}, {"absent run skipped", 1}};
  EXPECT_EQ(rows, expected);

  std::ifstream in(folder_ / "environment.json");
  const auto environment = nlohmann::json::parse(in);
  EXPECT_EQ(environment.at("exit_code"), 1);
  for (const char* key : {"date", "cpu", "compiler", "compiler_flags", "libraries", "git", "openmp_runtimes",
                          "environment_variables", "kokkos_configuration", "load_average_start", "peak_memory_bytes"}) {
    EXPECT_TRUE(environment.contains(key)) << key;
  }
  EXPECT_EQ(environment.at("openmp_runtimes").size(), 1U) << environment.at("openmp_runtimes");
  EXPECT_TRUE(fs::exists(folder_ / "google-benchmark" / "size192.json"));
}

TEST_F(Runner, SucceedsWhereSomeAreSkipped) {
  EXPECT_EQ(run_experiment(FakeExperiment({right_, absent_}), options_, 1), exit_ok);
}

TEST_F(Runner, ChecksWithoutTiming) {
  options_.check_only = true;
  EXPECT_EQ(run_experiment(FakeExperiment({right_, wrong_}), options_, 1), exit_failed);
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
  EXPECT_EQ(run_experiment(FakeExperiment({right_}), options_, 1), exit_ok);
  const CsvTable table(folder_ / "samples.csv");
  EXPECT_EQ(table.rows(), 10U + 3 * 3);  // stream; run, pack and peak
}

TEST_F(Runner, IsNoSuccessWithoutAnyTime) {
  EXPECT_THROW(run_experiment(FakeExperiment({absent_}), options_, 1), std::runtime_error);
}

TEST_F(Runner, NeverOverwritesResults) {
  EXPECT_EQ(run_experiment(FakeExperiment({right_}), options_, 1), exit_ok);
  EXPECT_THAT([&] { run_experiment(FakeExperiment({right_}), options_, 1); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("already holds a samples.csv")));
}

}  // namespace
}  // namespace brickwork
