// The program where streams, disks or folders fail, or a signal comes: rows that were written stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Three checks, as quick as a run can be, with two lines on the screen for each and more at the end.
class Faults : public testing::Test {
 protected:
  std::string three_checks() const {
    return fmt::format(
        "'{}' --experiment brgemm --check --contenders brickwork-portable --problem 'm1 n2 k3' --problem "
        "'m2 n2 k3' --problem 'm3 n2 k3' --out {}",
        BRICKWORK_PROGRAM, folder_.string());
  }

  // All rows are there and complete.
  void expect_three_rows() const {
    const CsvTable table(folder_ / "samples.csv");
    ASSERT_EQ(table.rows(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(table.at(i, "m"), std::to_string(i + 1));
      EXPECT_EQ(table.at(i, "status"), "ok");
    }
    EXPECT_EQ(read_json(folder_ / "environment.json").at("exit_code"), 0);
  }

  const fs::path folder_ = fresh_folder();
};

TEST_F(Faults, AReaderThatLeavesLosesNoRows) {
  const auto [code, output] = shell(three_checks() + " | head -1; exit ${PIPESTATUS[0]}");
  EXPECT_THAT(code, testing::AnyOf(0, 141)) << output;  // 0 if all was in the pipe before the reader left
  EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
  expect_three_rows();
}

TEST_F(Faults, APipeWithoutAReaderLosesNoRowsAndEndsQuietly) {
  const auto [code, output] = shell("exec 3> >(true); wait $!; " + three_checks() + " >&3");
  EXPECT_EQ(code, 141);
  EXPECT_EQ(output, "");
  expect_three_rows();
}

// The rows went nowhere else.
TEST_F(Faults, AReaderOfRowsThatLeavesEndsTheRun) {
  for (const char* format : {"--csv", "--json"}) {
    const auto [code, output] = shell(fmt::format(
        "'{}' --experiment brgemm --shapes brgemm-full --contenders brickwork-portable --check --brief {} - | head -1; "
        "exit ${{PIPESTATUS[0]}}",
        BRICKWORK_PROGRAM, format));
    EXPECT_EQ(code, 141) << output;
    EXPECT_THAT(output, Not(HasSubstr("Broken pipe")));
  }
}

TEST_F(Faults, AFullOutputLosesNoRowsAndIsReported) {
  const auto [code, output] = shell(three_checks() + " > /dev/full");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(output, "brickwork: standard output cannot be written: No space left on device\n");
  expect_three_rows();
  for (const char* option :
       {"--help", "--version", "--list --experiment brgemm", "--experiment conv-forward --plan print"}) {
    EXPECT_EQ(brickwork(std::string(option) + " > /dev/full").code, 1) << option;
  }
  EXPECT_EQ(brickwork("--experiment wrong 2> /dev/full").code, 2);
}

TEST_F(Faults, ClosedStreamsLeaveTheFilesAlone) {
  EXPECT_EQ(shell(three_checks() + " <&- >&- 2>&-").code, 0);
  expect_three_rows();
}

TEST_F(Faults, AFolderThatCannotBeMadeIsOneSentence) {
  const std::pair<std::string, const char*> cases[] = {
      {"/dev/full", "Not a directory"},
      {"/proc/results", "No such file or directory"},
      {folder_.string() + std::string(300, 'x'), "File name too long"}};
  for (const auto& [folder, reason] : cases) {
    const auto [code, output] = brickwork("--experiment brgemm --check --problem 'm1 n1 k1' --out " + folder);
    EXPECT_EQ(code, 1);
    EXPECT_EQ(output, fmt::format("brickwork: the folder {} cannot be made: {}\n", folder, reason));
  }
}

TEST_F(Faults, ALockedFolderIsOneSentence) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to every folder";
  fs::create_directories(folder_);
  for (const auto locked : {fs::perms::owner_read | fs::perms::owner_exec, fs::perms::none}) {
    fs::permissions(folder_, locked);
    const auto [code, output] = shell(three_checks());
    EXPECT_EQ(code, 1);
    EXPECT_EQ(output,
              fmt::format("brickwork: {}/samples.csv cannot be written: Permission denied\n", folder_.string()));
  }
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(Faults, TheSecondRunIntoAFolderIsRefused) {
  const auto [code, output] = shell(fmt::format(
      "{0} & first=$!; {0} & wait $!; second=$?; wait $first; echo codes $((second + $?))", three_checks()));
  EXPECT_THAT(output, HasSubstr("codes 1\n"));
  EXPECT_THAT(output, HasSubstr("already holds a run's "));
  expect_three_rows();
}

// A limit on file sizes stands in for a disk that fills up in the middle of a run.
TEST_F(Faults, AFullDiskKeepsTheFinishedRows) {
  const auto [code, output] = shell(
      fmt::format("ulimit -f 64; '{}' --experiment brgemm --contenders brickwork-simd --samples 3 --min-time 0.0001 "
                  "--out {}",
                  BRICKWORK_PROGRAM, folder_.string()));
  EXPECT_EQ(code, 1) << output;
  EXPECT_THAT(output, HasSubstr("samples.csv cannot be written: File too large"));
  EXPECT_GT(std::ranges::count(read_file(folder_ / "samples.csv"), '\n'), 100);
}

TEST_F(Faults, AnInterruptKeepsTheFinishedRowsAndIsReported) {
  const auto [code, output] = brickwork_interrupted(
      {"--experiment", "brgemm", "--contenders", "brickwork-simd", "--min-time", "0.001", "--samples", "20"}, folder_,
      60);
  EXPECT_EQ(code, 130) << output;
  EXPECT_GE(CsvTable(folder_ / "samples.csv").rows(), 59U);
  EXPECT_THAT(output, HasSubstr("\ninterrupted: what was finished is kept\n"));
  EXPECT_THAT(output, HasSubstr("\nresults in " + folder_.string()));
  EXPECT_EQ(read_json(folder_ / "environment.json").at("exit_code"), 130);
}

// The first problem has few plans beside the default one, so that its search ends by itself.
TEST_F(Faults, AnInterruptEndsASearchAndKeepsTheFinishedRows) {
  const auto [code, output] = brickwork_interrupted(
      {"--experiment", "conv-forward", "--contenders", "brickwork-portable", "--plan", "search:600", "--problem",
       "N1 C1 K1 H1", "--problem", "N1 C32 K32 H16 R3 ph1", "--min-time", "0.0001", "--samples", "3", "--threads", "1"},
      folder_, 20);
  EXPECT_EQ(code, 130) << output;
  const CsvTable table(folder_ / "samples.csv");
  EXPECT_EQ(table.rows(), 5U + 2 * 3 + 2 * (3 + 3));  // stream once; peak and roof; run and pack of both
  for (std::size_t i = 5; i < table.rows(); ++i) EXPECT_EQ(table.at(i, "C"), "1");
  EXPECT_THAT(output, HasSubstr("\ninterrupted: what was finished is kept\n"));
}

TEST_F(Faults, AnInterruptedCheckPrintsItsCounts) {
  const auto [code, output] = brickwork_interrupted(
      {"--experiment", "brgemm", "--shapes", "brgemm-full", "--contenders", "brickwork-portable", "--check"}, folder_,
      5);
  EXPECT_EQ(code, 130) << output;
  const auto rows = CsvTable(folder_ / "samples.csv").rows();
  EXPECT_LT(rows, 256U);
  EXPECT_THAT(output, HasSubstr(fmt::format("\n{} checks passed, 0 failed, 0 skipped\ninterrupted: ", rows)));
}

}  // namespace
}  // namespace brickwork
