// The contender onednn-latest: where it is installed, and where its program misbehaves or is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kLatest = "brickwork-onednn-latest";

// The contender's rows: how many have a time, and the reasons of the others.
struct Found {
  std::vector<std::string> reasons, versions;
  int timed = 0, peaks = 0, here = 0;
};

Found found_in(const fs::path& folder, const std::string& contender, const std::string& beside = "brickwork-portable") {
  const CsvTable table(folder / "samples.csv");
  Found found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string& who = table.at(i, "contender");
    const bool run = table.at(i, "phase") == "run";
    if (who == contender && table.at(i, "status") != "ok") found.reasons.push_back(table.at(i, "reason"));
    if (who == contender && table.at(i, "status") == "ok") {
      found.timed += run;
      found.versions.push_back(table.at(i, "version"));
      EXPECT_EQ(table.at(i, "max_error"), "0");
    }
    found.peaks += who == contender + "/fma-peak";
    found.here += who == beside && run;
  }
  return found;
}

class OnednnLatestInstalled : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(BRICKWORK_PROGRAM).parent_path() / kLatest)) {
      GTEST_SKIP() << "scripts/setup --with-onednn-latest installs what this test needs";
    }
  }

  void expect_measured(const std::string& contender, const std::string& arguments,
                       const std::string& beside = "brickwork-portable") {
    const auto folder = fresh_folder();
    // Our threads are bound to cores; the other process must not inherit one core for all of its threads.
    const auto [code, output] =
        brickwork(fmt::format("{} --contenders {},{} --samples 3 --min-time 0.001 --threads 1 --out {}", arguments,
                              beside, contender, folder.string()),
                  "OMP_PROC_BIND=close OMP_PLACES=cores");
    EXPECT_EQ(code, 0) << output;
    const Found found = found_in(folder, contender, beside);
    EXPECT_EQ(found.timed, 6);
    EXPECT_EQ(found.peaks, 6);
    EXPECT_EQ(found.here, 6);
    for (const auto& version : found.versions) EXPECT_THAT(version, testing::ContainsRegex("^3\\.[1-9][0-9]"));
    const auto record = read_json(folder / contender / "environment.json");
    EXPECT_EQ(record.at("exit_code"), 0);
    EXPECT_EQ(record.at("libraries").at("oneDNN"), found.versions.front());
    EXPECT_EQ(record.at("cpu").at("hardware_threads"), 1);
    EXPECT_TRUE(record.at("warnings").empty()) << record.at("warnings");
  }
};

TEST_F(OnednnLatestInstalled, ConvolvesExactlyInItsOwnProcess) {
  expect_measured("onednn-latest",
                  "--experiment conv-forward --minibatch 2 --epilogue bias+residual+relu --problem 'C16 K32 H9 R3 ph1' "
                  "--problem 'C5 K7 H6'");
}

TEST_F(OnednnLatestInstalled, ConvolvesBackwardExactlyInItsOwnProcess) {
  const std::string problems = " --minibatch 5 --problem 'C16 K32 H9 R3 ph1' --problem 'C5 K7 H6'";
  expect_measured("onednn-latest", "--experiment conv-backward" + problems, "col2im");
  expect_measured("onednn-latest", "--experiment conv-update" + problems, "im2col");
}

TEST_F(OnednnLatestInstalled, RunsFullyConnectedLayersExactlyInItsOwnProcess) {
  for (const char* experiment : {"fc-forward", "fc-backward", "fc-update"}) {
    expect_measured("onednn-latest",
                    fmt::format("--experiment {} --minibatch 5 --problem 'C16 K32' --problem 'C5 K7'", experiment),
                    "openblas");
  }
}

TEST_F(OnednnLatestInstalled, MultipliesExactlyInItsOwnProcess) {
  expect_measured("onednn-matmul-latest",
                  "--experiment brgemm --problem 'm7 n17 k5 batch3' --problem 'm8 n16 k8 batch4'");
}

// The program in a folder of its own, with a script in place of brickwork-onednn-latest.
class OnednnLatestProgram : public testing::Test {
 protected:
  Ended run(const std::string& script) {
    install(script);
    return shell(command());
  }

  void install(const std::string& script) {
    fs::remove_all(place_);
    fs::create_directories(place_);
    fs::copy_file(BRICKWORK_PROGRAM, place_ / "brickwork");
    if (script.empty()) return;
    std::ofstream(place_ / kLatest) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(place_ / kLatest, fs::perms::owner_all);
  }

  std::string command() const {
    return fmt::format(
        "'{}' --experiment conv-forward --check --minibatch 1 --problem 'C3 K5 H6' --problem 'C5 K3 H6' --contenders "
        "brickwork-portable,onednn-latest --threads 1 --out {}",
        (place_ / "brickwork").string(), folder_.string());
  }

  const fs::path folder_ = fresh_folder(), place_ = fs::path(folder_).concat("-program");
};

TEST_F(OnednnLatestProgram, IsAbsentIfItIsMissingAndSaysHowToGetIt) {
  const auto [code, output] = run("");
  EXPECT_EQ(code, 0) << output;
  const Found found = found_in(folder_, "onednn-latest");
  EXPECT_EQ(found.here, 2);
  ASSERT_EQ(found.reasons.size(), 2U);
  EXPECT_THAT(found.reasons.front(), HasSubstr("scripts/setup --with-onednn-latest"));
}

TEST_F(OnednnLatestProgram, IsAbsentIfItsLibraryIsGone) {
  const auto [code, output] = run("echo 'error while loading shared libraries: libdnnl.so.3' >&2; exit 127");
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(found_in(folder_, "onednn-latest").reasons,
              testing::Each("error while loading shared libraries: libdnnl.so.3"));
}

TEST_F(OnednnLatestProgram, IsListedWithoutBeingStarted) {
  install("exit 3");
  const auto [code, output] = shell(fmt::format("'{}' --list --experiment brgemm", (place_ / "brickwork").string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("  onednn-matmul-latest       measured in a process of its own, by " +
                                (place_ / kLatest).string()));
}

TEST_F(OnednnLatestProgram, EndsWithUsOnAnInterrupt) {
  const auto id_file = place_ / "id";
  install(fmt::format("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600", id_file.string()));
  const auto [code, output] = shell(fmt::format(
      "{} & id=$!; until [ -e {} ]; do sleep 0.05; done; kill -INT $id; wait $id", command(), id_file.string()));
  EXPECT_EQ(code, 130) << output;
  EXPECT_THAT(output, HasSubstr("interrupted: what was finished is kept"));
  EXPECT_EQ(found_in(folder_, "onednn-latest").here, 1);
  EXPECT_TRUE(found_in(folder_, "onednn-latest").reasons.empty()) << "it did not fail: it was interrupted";
  const pid_t id = std::stoi(read_file(id_file));
  EXPECT_EQ(kill(id, 0), -1) << "it still runs";
}

}  // namespace
}  // namespace brickwork
