// The folder of a run's results: the order of writing, a folder of another run, and a run without a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "experiments/harness/run/results_folder.hpp"
#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;

class RunnerFolder : public RunTest {
 protected:
  RunnerFolder() { options_.samples = 3; }

  std::string text(const char* file) const {
    std::ifstream in(folder_ / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const FakeContender right_{"right", right_answer};
};

TEST_F(RunnerFolder, NeverOverwritesResults) {
  EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
  EXPECT_THAT([&] { run_fake(fake_experiment({right_}), options_); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("already holds a run's ")));
}

TEST_F(RunnerFolder, TouchesNothingInTheFolderOfAnotherRun) {
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

TEST_F(RunnerFolder, TheFirstErrorIsReportedIfTheRecordCannotBeWrittenEither) {
  const FakeContender blocking{"blocking", [&](auto right, auto output) {
                                 fs::create_directories(folder_ / "environment.json.new");
                                 fs::create_directories(folder_ / "google-benchmark" / "size3.json");
                                 right_answer(right, output);
                               }};
  EXPECT_THAT([&] { run_fake(fake_experiment({blocking}), options_); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("size3.json cannot be written")));
}

// The first problem's rows are on the disk before the second one begins, whatever ends the run then.
TEST_F(RunnerFolder, WritesAProblemBeforeTheNextOneBegins) {
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

TEST_F(RunnerFolder, ATemporaryFolderIsRemoved) {
  options_.keep_nothing = true;
  fs::path temporary;
  {
    const ResultsFolder folder(options_, "now");
    temporary = folder.path();
    EXPECT_TRUE(fs::is_directory(temporary));
    std::ofstream(temporary / "samples.csv") << "rows";
    EXPECT_NE(ResultsFolder(options_, "now").path(), temporary);
  }
  EXPECT_FALSE(fs::exists(temporary));
}

TEST_F(RunnerFolder, ARunThatKeepsNothingLeavesNothing) {
  options_.keep_nothing = true;
  for (const bool check_only : {false, true}) {
    options_.check_only = check_only;
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_fake(fake_experiment({right_}), options_), exit_ok);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::Not(testing::HasSubstr("results in")));
    EXPECT_FALSE(fs::exists(folder_));
  }
}

}  // namespace
}  // namespace brickwork
