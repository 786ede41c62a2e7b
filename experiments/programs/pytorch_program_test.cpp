// The contender pytorch: where it is installed, and where its program is missing or misbehaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kPytorch = "brickwork-pytorch";

// The contender's rows: how many have a time, and the reasons of the others.
struct PytorchRows {
  int timed = 0;
  std::vector<std::string> reasons;
};

PytorchRows pytorch_rows(const fs::path& folder) {
  const CsvTable table(folder / "samples.csv");
  PytorchRows found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "contender") != "pytorch") continue;
    if (table.at(i, "status") != "ok") {
      found.reasons.push_back(table.at(i, "reason"));
      continue;
    }
    found.timed += table.at(i, "phase") == "run" && !table.at(i, "seconds").empty();
    EXPECT_THAT(table.at(i, "implementation"), testing::StartsWith("eager:"));
  }
  return found;
}

class PytorchInstalled : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(BRICKWORK_PROGRAM).parent_path() / kPytorch)) {
      GTEST_SKIP() << "scripts/setup --with-pytorch installs what this test needs";
    }
  }

  const fs::path folder_ = fresh_folder();
};

// The products are large enough for a BLAS, which must be PyTorch's own.
TEST_F(PytorchInstalled, TrainsNetworksAsTheyAreDefined) {
  for (const char* what : {"resnet50-step --problem 'N2 L14 H32 K10'",
                           "mlp --problem 'N6 C32 L3' --problem 'N6 C32 L3 forward' --problem 'N6 C32 L3 backward'"}) {
    fs::remove_all(folder_);
    const auto [code, output] = brickwork(
        fmt::format("--check --contenders pytorch --threads 2 --out {} --experiment {}", folder_.string(), what));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(output, HasSubstr("0 failed, 0 skipped"));
  }
}

TEST_F(PytorchInstalled, RunsRecurrentLayersAsTheyAreDefined) {
  for (const char* what : {"rnn-inference", "rnn-forward", "rnn-backward"}) {
    fs::remove_all(folder_);
    const auto [code, output] = brickwork(
        fmt::format("--check --contenders pytorch --threads 2 --out {} --experiment {} --problem 'T5 N8 C64 lstm' "
                    "--problem 'T4 N5 C16 K24 L2 lbr-gru bidirectional unequal'",
                    folder_.string(), what));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(output, HasSubstr("0 failed, 0 skipped"));
  }
}

TEST_F(PytorchInstalled, IsTimedInItsOwnProcess) {
  const auto [code, output] = brickwork(
      fmt::format("--experiment mlp --problem 'N6 C32 L3' --contenders brickwork-portable,pytorch --samples 3 "
                  "--min-time 0.001 --threads 1 --out {}",
                  folder_.string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_EQ(pytorch_rows(folder_).timed, 3);
  const auto record = read_json(folder_ / "pytorch" / "environment.json");
  EXPECT_EQ(record.at("exit_code"), 0);
  EXPECT_EQ(record.at("openmp_runtimes").size(), 1U);
  EXPECT_TRUE(record.at("libraries").contains("PyTorch"));
}

// The program in a folder of its own, with a script in place of brickwork-pytorch.
class PytorchProgram : public testing::Test {
 protected:
  Ended run(const std::string& script) {
    fs::remove_all(place_);
    fs::create_directories(place_);
    fs::copy_file(BRICKWORK_PROGRAM, place_ / "brickwork");
    if (!script.empty()) {
      std::ofstream(place_ / kPytorch) << "#!/bin/sh\n" << script << "\n";
      fs::permissions(place_ / kPytorch, fs::perms::owner_all);
    }
    return shell(
        fmt::format("'{}' --experiment mlp --check --problem 'N3 C8 L2' --problem 'N3 C9 L2' --contenders "
                    "brickwork-portable,pytorch --threads 1 --out {}",
                    (place_ / "brickwork").string(), folder_.string()));
  }

  const fs::path folder_ = fresh_folder(), place_ = fs::path(folder_).concat("-program");
};

TEST_F(PytorchProgram, IsAbsentIfItIsMissingAndSaysHowToGetIt) {
  const auto [code, output] = run("");
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(pytorch_rows(folder_).reasons,
              testing::ElementsAre(HasSubstr("scripts/setup --with-pytorch"), testing::_));
}

TEST_F(PytorchProgram, IsAbsentIfItsLibraryIsGone) {
  const auto [code, output] = run("echo 'error while loading shared libraries: libtorch_cpu.so' >&2; exit 127");
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(pytorch_rows(folder_).reasons,
              testing::ElementsAre("error while loading shared libraries: libtorch_cpu.so", testing::_));
}

TEST_F(PytorchProgram, HasFailedIfItDies) {
  const auto [code, output] = run("kill -KILL $$");
  EXPECT_EQ(code, 1) << output;
  EXPECT_THAT(pytorch_rows(folder_).reasons, testing::Each(HasSubstr("its process ended: signal 9")));
}

}  // namespace
}  // namespace brickwork
