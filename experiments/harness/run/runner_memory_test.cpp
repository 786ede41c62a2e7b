// A run that gets too little memory at various places: a row says what did not fit, and the run goes on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <new>
#include <stdexcept>

#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RunnerMemory : public RunTest {
 protected:
  RunnerMemory() { options_.samples = 3; }

  // Reason -> number of rows, by problem, contender and status.
  std::map<std::string, std::pair<std::string, int>> rows() const {
    const CsvTable table(folder_ / "samples.csv");
    std::map<std::string, std::pair<std::string, int>> rows;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      auto& [reason, count] =
          rows[fmt::format("{} {} {}", table.at(i, "name"), table.at(i, "contender"), table.at(i, "status"))];
      reason = table.at(i, "reason");
      ++count;
    }
    return rows;
  }

  const FakeContender right_{"right", right_answer};
};

constexpr int kRows = 3 + 3;  // of runs and of packing

TEST_F(RunnerMemory, RefusesAProblemAndGoesOn) {
  const std::vector<FakeProblem> problems = {{.name = "large", .size = 1000}, {.name = "small", .size = 3}};
  const auto experiment = fake_experiment_of({contender(right_)}, problems, false, [] { return 1e6; });
  EXPECT_EQ(run_fake(experiment, options_), exit_ok);
  const auto found = rows();
  EXPECT_EQ(found.at("large right unsupported").first,
            "large needs about 0.002 GB with 1 contender at once, and 0.001 GB are left");
  EXPECT_EQ(found.at("small right ok").second, kRows);
}

TEST_F(RunnerMemory, ACheckWithoutMemoryIsARowOfItsContender) {
  const FakeContender greedy{"greedy", [](auto, auto) { throw std::bad_alloc(); }};
  EXPECT_EQ(run_fake(fake_experiment({greedy, right_}), options_), exit_ok);
  const auto found = rows();
  EXPECT_THAT(found.at("only greedy unsupported").first,
              StartsWith("there was not enough memory: only needs about 0.000 GB with 2 contenders at once, and "));
  EXPECT_EQ(found.at("only right ok").second, kRows);
}

TEST_F(RunnerMemory, APreparationWithoutMemoryIsARowOfItsContender) {
  auto greedy = contender(right_);
  greedy.name = "greedy";
  greedy.prepare = [](const auto&, const auto&, const auto&) -> Result<PreparedPtr> { throw std::bad_alloc(); };
  for (const bool check_only : {false, true}) {
    std::filesystem::remove_all(folder_);
    options_.check_only = check_only;
    EXPECT_EQ(run_fake(fake_experiment_of({greedy, contender(right_)}), options_), exit_ok);
    EXPECT_THAT(rows().at("only greedy unsupported").first, StartsWith("there was not enough memory: only needs "));
    EXPECT_EQ(rows().at("only right ok").second, check_only ? 1 : kRows);
  }
}

// Its check calls run() twice.
template <class Failure>
FakeContender failing_in_run(int number, const Failure& failure) {
  return {"failing", [=, runs = 0](auto right, auto output) mutable {
            if (++runs >= number) throw failure;
            right_answer(right, output);
          }};
}

TEST_F(RunnerMemory, TimingWithoutMemoryIsARowOfItsContender) {
  for (const int number : {3, 4, 5, 100}) {
    std::filesystem::remove_all(folder_);
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_fake(fake_experiment({failing_in_run(number, std::bad_alloc()), right_}), options_), exit_ok);
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                HasSubstr("  failing unsupported on only: there was not enough memory to run it again and again\n"));
    const auto found = rows();
    EXPECT_EQ(found.at("only failing unsupported").second, 1);
    EXPECT_FALSE(found.contains("only failing ok"));
    EXPECT_EQ(found.at("only right ok").second, kRows);
  }
}

TEST_F(RunnerMemory, AFailureWhileTimingIsARowOfItsContender) {
  for (const bool cold : {false, true}) {
    std::filesystem::remove_all(folder_);
    options_.cold_cache = cold;
    const auto failing = failing_in_run(4, std::runtime_error("the library refuses"));
    EXPECT_EQ(run_fake(fake_experiment({failing, right_}), options_), exit_failed);
    EXPECT_EQ(rows().at("only failing failed").first, "the library refuses");
    EXPECT_EQ(rows().at("only right ok").second, kRows);
  }
}

// Reads more memory than there is.
struct FakeHugeOp : FakeOp {
  static double bytes(const FakeProblem& p) { return p.size > 3 ? 1e18 : 1000.0; }
};

TEST_F(RunnerMemory, ALimitWithoutMemoryIsARowOfEveryContender) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a program that allocates too much";
#endif
  const auto fake = contender(right_);
  const std::vector<Contender<FakeHugeOp>> contenders{
      {.name = "right", .library = fake.library, .prepare = fake.prepare},
      {.name = "other", .library = fake.library, .prepare = fake.prepare}};
  const ExperimentOf<FakeHugeOp> experiment(
      {.shapes = "fakes", .shapes_size = 2, .problems = {{.name = "huge", .size = 4}, {.name = "small", .size = 3}}},
      contenders, Resources{1}, false, [] { return std::numeric_limits<double>::infinity(); });
  EXPECT_EQ(run_experiment(experiment, "layers", options_, steady_seconds, Machine{.l2_bytes = 1}), exit_ok);
  const auto found = rows();
  for (const std::string name : {"right", "other"}) {
    EXPECT_EQ(found.at("huge " + name + " unsupported"),
              std::pair(std::string("there was not enough memory to time it"), 1));
    EXPECT_EQ(found.at("small " + name + " ok").second, kRows);
  }
  EXPECT_FALSE(found.contains("huge right ok"));
}

}  // namespace
}  // namespace brickwork
