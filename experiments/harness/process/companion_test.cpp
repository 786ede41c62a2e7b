// Runs with a contender that another program measures, also with programs that misbehave.
#include "experiments/harness/process/companion.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_test.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kProgram = BRICKWORK_COMPANION_PROGRAM;

class CompanionTest : public RunTest {
 protected:
  CompanionTest() {
    options_.samples = 4;
    if (const char* policy = std::getenv("OMP_WAIT_POLICY")) wait_policy_ = policy;
  }
  ~CompanionTest() override {
    wait_policy_ ? setenv("OMP_WAIT_POLICY", wait_policy_->c_str(), 1) : unsetenv("OMP_WAIT_POLICY");
  }

  // Runs the contenders "here", which is right, and "there", which is the contender `called` of the program.
  ExitCode run(const std::string& program, const std::string& called) {
    auto there = contender({"there", right_answer});
    there.library = {.name = "elsewhere's library", .version = {}, .absent = {}};
    there.elsewhere = Elsewhere{program, called, own_threads_};
    there.prepare = nullptr;
    const auto experiment = fake_experiment_of({contender({"here", right_answer}), there}, problems_);
    testing::internal::CaptureStdout();
    const ExitCode code = run_fake(experiment, options_);
    shown_ = testing::internal::GetCapturedStdout();
    return code;
  }

  // Counts the rows of one problem by "contender phase status".
  std::map<std::string, int> rows_of(const std::string& problem) const {
    const CsvTable table(folder_ / "samples.csv");
    std::map<std::string, int> rows;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.at(i, "name") != problem) continue;
      ++rows[fmt::format("{} {} {}", table.at(i, "contender"), table.at(i, "phase"), table.at(i, "status"))];
    }
    return rows;
  }

  // The reasons of the rows that are not ok, by problem.
  std::map<std::string, std::string> reasons() const {
    const CsvTable table(folder_ / "samples.csv");
    std::map<std::string, std::string> reasons;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.at(i, "status") != "ok") reasons[table.at(i, "name")] = table.at(i, "reason");
    }
    return reasons;
  }

  fs::path script(const std::string& text) const {
    fs::create_directories(folder_.parent_path());
    auto path = folder_;
    path += ".sh";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  // A script that measures nothing and writes one row of `who` for each of the problems when it starts.
  static std::string fake_table(const std::string& who, const std::string& status,
                                const std::string& problems = "size2") {
    return fmt::format(R"(while [ "$1" != --out ]; do shift; done
mkdir -p "$2"
echo problem,primitive,pass,contender,ours,backend,version,implementation,isa,phase,plan,tuning,status,reason,max_error,sample,seconds,flop,least_flop,bytes,peak_bytes,plan_seconds > "$2/samples.csv"
for problem in {}; do echo $problem,fake,forward,{},no,,,,,run,,,{},,,,,,,,, >> "$2/samples.csv"; done
while read problem samples; do echo measured $problem; done)",
                       problems, who, status);
  }

  const std::map<std::string, int> timed_{{"here run ok", 4},
                                          {"here pack ok", 3},
                                          {"fma-peak run ok", 4},
                                          {"loaded-roof run ok", 4},
                                          {"there/loaded-roof run ok", 4},
                                          {"there run ok", 4},
                                          {"there/fma-peak run ok", 4},
                                          {"there pack ok", 3}};
  const std::map<std::string, int> checked_{{"here run ok", 1}, {"there run ok", 1}};
  std::string shown_;
  bool own_threads_ = true;
  std::optional<std::string> wait_policy_;  // before the test
  std::vector<FakeProblem> problems_{{.name = "first", .size = 2, .count = 5}, {.name = "second", .size = 3}};
};

TEST_F(CompanionTest, ItsRowsAreAmongOursUnderItsName) {
  EXPECT_EQ(run(kProgram, "exact"), exit_ok) << shown_;
  EXPECT_EQ(rows_of("first"), timed_);
  EXPECT_EQ(rows_of("second"), timed_);
  const CsvTable table(folder_ / "samples.csv");
  const CsvTable theirs(folder_ / "there" / "samples.csv");
  std::set<std::string> their_seconds;
  for (std::size_t i = 0; i < theirs.rows(); ++i) their_seconds.insert(theirs.at(i, "seconds"));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_EQ(table.at(i, "run"), table.at(0, "run"));
    EXPECT_EQ(table.at(i, "shapes"), "fakes");
    if (!table.at(i, "contender").starts_with("there")) continue;
    EXPECT_TRUE(their_seconds.contains(table.at(i, "seconds")));
    EXPECT_EQ(table.at(i, "problem"), table.at(i, "name") == "first" ? "size2" : "size3");
    EXPECT_EQ(table.at(i, "count"), table.at(i, "name") == "first" ? "5" : "1");
    EXPECT_EQ(table.at(i, "size"), table.at(i, "name") == "first" ? "2" : "3");
    EXPECT_EQ(table.at(i, "setting"), "1 thread, hot cache, f32");
    const bool machine = table.at(i, "contender") != "there";
    EXPECT_EQ(table.at(i, "primitive"), machine ? "machine" : "fake");
    EXPECT_EQ(table.at(i, "version"), machine ? "" : "1.0");
    EXPECT_EQ(table.at(i, "max_error"), machine ? "" : "0");
  }
}

TEST_F(CompanionTest, ItKeepsARecordOfItsOwn) {
  unsetenv("OMP_WAIT_POLICY");
  EXPECT_EQ(run(kProgram, "exact"), exit_ok);
  const auto record = read_json(folder_ / "there" / "environment.json");
  EXPECT_EQ(record.at("exit_code"), 0) << "it came to its end before we did";
  EXPECT_EQ(record.at("libraries").at("fake"), "1.0");
  EXPECT_EQ(record.at("environment_variables").at("OMP_WAIT_POLICY"), "passive");
}

TEST_F(CompanionTest, ALibraryThatUsesOpenMpKeepsOurSettings) {
  own_threads_ = false;
  options_.check_only = true;
  unsetenv("OMP_WAIT_POLICY");
  EXPECT_EQ(run(kProgram, "exact"), exit_ok);
  const auto record = read_json(folder_ / "there" / "environment.json");
  EXPECT_FALSE(record.at("environment_variables").contains("OMP_WAIT_POLICY"));
  EXPECT_EQ(record.at("cpu").at("hardware_threads"), 1) << "as many as the run has threads";
}

TEST_F(CompanionTest, IsShownWithAShareOfItsOwnRoof) {
  EXPECT_EQ(run(kProgram, "exact"), exit_ok);
  EXPECT_THAT(shown_, testing::ContainsRegex(
                          "\\[1/2\\] first  [^\n]*\n  here [^\n]* % of the loaded roof\n  there [^\n]* % of the "
                          "loaded roof\n"));
}

TEST_F(CompanionTest, TakesAsManySamplesAsOursWhereTimeIsShort) {
  options_.samples = 50;
  options_.time_budget = 1e-3;
  EXPECT_EQ(run(kProgram, "exact"), exit_ok);
  EXPECT_EQ(rows_of("second").at("here run ok"), 3);
  EXPECT_EQ(rows_of("second").at("there run ok"), 3);
}

TEST_F(CompanionTest, IsTimedAsTheOnlyContender) {
  auto there = contender({"there", right_answer});
  there.elsewhere = Elsewhere{kProgram, "exact"};
  EXPECT_EQ(run_fake(fake_experiment_of({there}, problems_), options_), exit_ok);
  EXPECT_EQ(rows_of("first").at("there run ok"), 4);
  EXPECT_EQ(rows_of("first").count("fma-peak run ok"), 0U);
}

TEST_F(CompanionTest, OnlyChecksWhereWeDo) {
  options_.check_only = true;
  EXPECT_EQ(run(kProgram, "exact"), exit_ok);
  EXPECT_EQ(rows_of("first"), checked_);
  EXPECT_THAT(shown_, HasSubstr("4 checks passed, 0 failed, 0 skipped"));
}

TEST_F(CompanionTest, AWrongResultHasNoTime) {
  options_.check_only = true;
  EXPECT_EQ(run(kProgram, "wrong"), exit_failed);
  EXPECT_EQ(rows_of("first").at("there run failed"), 1);
  EXPECT_EQ(rows_of("first").count("there run ok"), 0U);
  EXPECT_THAT(reasons().at("second"), HasSubstr("outputs in y are wrong"));
}

TEST_F(CompanionTest, AProgramThatDiesHasFailedAndIsStartedAgain) {
  EXPECT_EQ(run(kProgram, "dies"), exit_failed);
  EXPECT_EQ(reasons(), (std::map<std::string, std::string>{{"first", "its process ended: the library gave up"}}));
  EXPECT_EQ(rows_of("first").at("here run ok"), 4) << "what we measured stays";
  EXPECT_EQ(rows_of("second"), timed_);
  EXPECT_TRUE(fs::exists(folder_ / "there-2" / "samples.csv"));
  EXPECT_THAT(shown_, HasSubstr("  there failed on first: its process ended: the library gave up\n"));
}

TEST_F(CompanionTest, AProgramThatWritesNonsenseHasFailedAndIsStartedAgain) {
  options_.check_only = true;
  EXPECT_EQ(run(kProgram, "garbles"), exit_failed);
  EXPECT_THAT(reasons().at("first"), EndsWith("there/samples.csv is no table of samples"));
  EXPECT_EQ(rows_of("second"), checked_);
}

TEST_F(CompanionTest, AProgramThatWritesNothingHasFailed) {
  options_.check_only = true;
  const auto answers = script("while read problem samples; do echo measured $problem; done");
  EXPECT_EQ(run(answers, "exact"), exit_failed);
  EXPECT_THAT(reasons().at("first"), EndsWith("there/samples.csv is no table of samples"));
}

TEST_F(CompanionTest, AProgramWithoutRowsOfTheContenderHasFailed) {
  options_.check_only = true;
  const auto forgets = script(fake_table("other", "ok"));
  EXPECT_EQ(run(forgets, "exact"), exit_failed);
  EXPECT_THAT(reasons().at("first"), EndsWith("there/samples.csv has no row of size2"));
}

TEST_F(CompanionTest, ARowOfAnotherProblemIsNotTakenForThisOnes) {
  options_.check_only = true;
  const auto early = script(fake_table("exact", "ok", "size2 size3"));
  EXPECT_EQ(run(early, "exact"), exit_failed);
  EXPECT_EQ(rows_of("first").at("there run ok"), 1);
  EXPECT_THAT(reasons().at("second"), EndsWith("there/samples.csv has no row of size3"));
}

TEST_F(CompanionTest, AnOkRowWithoutATimeHasFailed) {
  EXPECT_EQ(run(script(fake_table("exact", "ok")), "exact"), exit_failed);
  EXPECT_THAT(reasons().at("first"), EndsWith("there/samples.csv has an ok row without a time"));
}

TEST_F(CompanionTest, AMissingProgramIsAbsent) {
  options_.check_only = true;
  EXPECT_EQ(run("/no/such/program", "exact"), exit_ok);
  for (const char* problem : {"first", "second"}) {
    EXPECT_EQ(rows_of(problem).at("there run absent"), 1);
    EXPECT_EQ(reasons().at(problem), "/no/such/program cannot be started: No such file or directory");
  }
}

TEST_F(CompanionTest, AProgramWithoutItsLibraryIsAbsentAndNotStartedAgain) {
  options_.check_only = true;
  const auto program = script("echo once >> \"$0.starts\"; echo 'libdnnl.so.3: not found' >&2; exit 127");
  const auto starts = program.string() + ".starts";
  fs::remove(starts);
  EXPECT_EQ(run(program, "exact"), exit_ok);
  EXPECT_EQ(reasons(), (std::map<std::string, std::string>{{"first", "libdnnl.so.3: not found"},
                                                           {"second", "libdnnl.so.3: not found"}}));
  EXPECT_EQ(fs::file_size(starts), 5U);
}

TEST_F(CompanionTest, GetsTheFileOfStructures) {
  options_.check_only = true;
  options_.structures = "my trees.txt";
  const auto program = script("for word; do echo \"$word\" >> \"$0.words\"; done; exit 127");
  const auto words = program.string() + ".words";
  fs::remove(words);
  run(program, "exact");
  std::ifstream in(words);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr("--structures\nmy trees.txt\n"));
}

TEST_F(CompanionTest, IsNotMeasuredWhileOurThreadsSpin) {
  options_.check_only = true;
  options_.threads = 2;
  setenv("OMP_WAIT_POLICY", "Active", 1);
  EXPECT_EQ(run(kProgram, "exact"), exit_ok);
  EXPECT_EQ(rows_of("first").at("there run unsupported"), 1);
  EXPECT_THAT(reasons().at("second"), testing::StartsWith("OMP_WAIT_POLICY=active keeps our threads on the cores"));
}

TEST_F(CompanionTest, AProgramThatIsKnownToBeAbsentIsNotStarted) {
  options_.check_only = true;
  auto there = contender({"there", right_answer});
  there.library.absent = "built without it";
  there.elsewhere = Elsewhere{"", "exact"};
  EXPECT_EQ(run_fake(fake_experiment_of({contender({"here", right_answer}), there}, problems_), options_), exit_ok);
  EXPECT_EQ(reasons().at("first"), "built without it");
  EXPECT_EQ(rows_of("second").at("there run absent"), 1);
}

}  // namespace
}  // namespace brickwork
