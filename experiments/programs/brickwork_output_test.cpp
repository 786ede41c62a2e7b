// The places of results, and the experiments and problems that a command line chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ProgramOutput : public testing::Test {
 protected:
  ProgramOutput() { fs::create_directories(folder_); }

  const fs::path folder_ = fresh_folder();
  const std::string timed_ =
      "--experiment brgemm --problem 'm1 n2 k3' --problem 'm2 n2 k3' --contenders brickwork-portable --samples 3 "
      "--min-time 0.0001";
};

std::set<std::string> entries_of(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST_F(ProgramOutput, CsvIsTheFileOnStandardOutputAndTheScreenOnStandardError) {
  const fs::path results = folder_ / "results", screen = folder_ / "screen";
  const auto [code, output] =
      brickwork(fmt::format("{} --out {} --csv - 2>{}", timed_, results.string(), screen.string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_EQ(output, read_file(results / "samples.csv"));
  EXPECT_THAT(read_file(screen), testing::AllOf(HasSubstr("[2/2] m2_n2_k3_batch1 "), HasSubstr("results in ")));
}

TEST_F(ProgramOutput, JsonIsAnArrayWithAnObjectForEachRow) {
  const fs::path results = folder_ / "results", rows = folder_ / "rows.json";
  const auto [code, output] =
      brickwork(fmt::format("{} --out {} --json - 2>/dev/null >{}", timed_, results.string(), rows.string()));
  EXPECT_EQ(code, 0);
  const auto json = read_json(rows);
  const CsvTable table(results / "samples.csv");
  ASSERT_EQ(json.size(), table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_EQ(json[i].at("contender"), table.at(i, "contender"));
    EXPECT_EQ(json[i].at("seconds").get<double>(), std::stod(table.at(i, "seconds")));
    EXPECT_EQ(json[i].at("threads"), 1);
    if (table.at(i, "m").empty()) {
      EXPECT_TRUE(json[i].at("m").is_null());
    } else {
      EXPECT_EQ(json[i].at("m"), std::stoi(table.at(i, "m")));
    }
  }
}

TEST_F(ProgramOutput, JsonOfARunWithoutRowsIsStillAnArray) {
  const fs::path rows = folder_ / "rows.json";
  const auto ended = brickwork(fmt::format("{} --out /dev/full --json - 2>/dev/null >{}", timed_, rows.string()));
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(read_json(rows).empty());
}

TEST_F(ProgramOutput, NoneAndChecksLeaveNothing) {
  fs::create_directories(folder_ / "tmp");
  for (const std::string& options : {timed_ + " --out none", timed_ + " --check", timed_ + " --check --out none"}) {
    const auto [code, output] =
        shell(fmt::format("cd '{0}' && TMPDIR='{0}/tmp' '{1}' {2}", folder_.string(), BRICKWORK_PROGRAM, options));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(entries_of(folder_), ElementsAre("tmp")) << options;
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp")) << options;
  }
}

TEST_F(ProgramOutput, ACheckPrintsTheLargestErrorOfEachContender) {
  const auto [code, output] = brickwork(timed_ + " --check");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, testing::ContainsRegex("\nbrickwork-portable +largest error [0-9.e-]+ +on m[12]_n2_k3_batch1\n2 "
                                             "checks passed, 0 failed, 0 skipped\n$"));
}

TEST_F(ProgramOutput, SeveralExperimentsHaveAFolderAndALineEach) {
  const auto [code, output] =
      brickwork(fmt::format("--experiment 'fc-[fb]*' --experiment fc-update,fc-forward --problem 'N5 C16 K32' --check "
                            "--contenders brickwork-portable --out {}",
                            folder_.string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, testing::MatchesRegex("fc-forward in 0:0[0-9]: 1 checks passed, .*\nfc-backward in .*\nfc-update "
                                            "in .*\nresults in .*: a folder for each experiment\n"));
  EXPECT_THAT(entries_of(folder_), ElementsAre("fc-backward", "fc-forward", "fc-update"));
  for (const auto& name : entries_of(folder_)) {
    EXPECT_EQ(CsvTable(folder_ / name / "samples.csv").at(0, "experiment"), name);
  }
}

TEST_F(ProgramOutput, OfSeveralExperimentsTheFirstFailureIsTheExitCode) {
  fs::create_directories(folder_ / "fc-forward");
  std::ofstream(folder_ / "fc-forward" / "environment.json") << "another's";
  const auto [code, output] = brickwork(
      fmt::format("--experiment fc-forward,fc-update --problem 'N5 C16 K32' --check --contenders brickwork-portable "
                  "--out {}",
                  folder_.string()));
  EXPECT_EQ(code, 1) << output;
  EXPECT_THAT(output, HasSubstr("already holds a run's environment.json"));
  EXPECT_THAT(output, HasSubstr("\nfc-update in "));
}

TEST_F(ProgramOutput, AnInterruptEndsSeveralExperiments) {
  for (const char* number : {"INT", "TERM"}) {
    fs::remove_all(folder_);
    const auto [code, output] = shell(fmt::format(
        "'{}' --experiment fc-forward,fc-update --contenders brickwork-portable --out {} & id=$!; until [ -e "
        "{}/fc-forward/environment.json ]; do sleep 0.05; done; kill -{} $id; wait $id",
        BRICKWORK_PROGRAM, folder_.string(), folder_.string(), number));
    EXPECT_EQ(code, 130) << output;
    EXPECT_THAT(output, HasSubstr("interrupted: what was finished is kept"));
    EXPECT_THAT(entries_of(folder_), ElementsAre("fc-forward"));
  }
}

TEST_F(ProgramOutput, AProblemsNameOnTheScreenIsReadBack) {
  const auto plan = [](const std::string& problem) {
    return brickwork("--experiment conv-forward --contenders brickwork-simd --plan print --tuning default " + problem)
        .output;
  };
  EXPECT_THAT(plan("--layer layer04"), testing::StartsWith("layer04 "));
  EXPECT_EQ(plan("--problem layer04"), plan("--layer layer04"));
  EXPECT_EQ(plan("--problem layer04 --shapes resnet50"), plan("--layer layer04"));
  const std::string of_text = plan("--problem 'N2 C16 K16 H8 relu'");
  EXPECT_EQ(plan("--problem " + of_text.substr(0, of_text.find(' '))), of_text);
  EXPECT_THAT(plan("--problem layer04 --problem 'N2 C16 K16 H8'"), HasSubstr("\nN2_C16_"));
  EXPECT_THAT(plan("--problem layer99"), HasSubstr("--problem \"layer99\": 'layer99' is no size"));
}

TEST_F(ProgramOutput, APatternChoosesLayers) {
  const auto [code, output] =
      brickwork("--experiment conv-forward --contenders brickwork-simd --plan print --layer 'layer0?,layer20'");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(std::ranges::count(output, '\n'), 10) << output;
  EXPECT_THAT(output, testing::StartsWith("layer01 "));
  EXPECT_THAT(output, HasSubstr("\nlayer20 "));
}

TEST_F(ProgramOutput, ThreadsAreBoundUnlessTheUserSaysHow) {
  const auto variables = [&](const std::string& surroundings) {
    fs::remove_all(folder_);
    const auto [code, output] = brickwork(fmt::format("{} --check --out {}", timed_, folder_.string()), surroundings);
    EXPECT_EQ(code, 0) << output;
    return read_json(folder_ / "environment.json").at("environment_variables");
  };
  const std::string none = "env -u OMP_PROC_BIND -u OMP_PLACES -u GOMP_CPU_AFFINITY -u KMP_AFFINITY";
  const auto ours = variables(none);
  EXPECT_EQ(ours.at("OMP_PROC_BIND"), "close");
  EXPECT_EQ(ours.at("OMP_PLACES"), "cores");
  const auto theirs = variables(none + " OMP_PROC_BIND=false");
  EXPECT_EQ(theirs.at("OMP_PROC_BIND"), "false");
  EXPECT_FALSE(theirs.contains("OMP_PLACES"));
}

}  // namespace
}  // namespace brickwork
