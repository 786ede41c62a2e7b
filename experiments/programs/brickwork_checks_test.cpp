// --check of every operation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Checks every contender that this build has.
void expect_right(const std::string& experiment, const std::string& problems) {
  const auto folder = fresh_folder();
  const auto [code, output] =
      brickwork(fmt::format("--experiment {} --check {} --out {}", experiment, problems, folder.string()));
  const CsvTable table(folder / "samples.csv");
  int right = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_NE(table.at(i, "status"), "failed") << table.at(i, "reason");
    right += table.at(i, "status") == "ok";
  }
  if (right == 0) GTEST_SKIP() << "this build has no library that could be checked";
  EXPECT_EQ(code, 0) << output;
}

TEST(Program, ChecksBatchNormAndPooling) {
  for (const char* experiment : {"batch-norm-forward", "batch-norm-inference", "batch-norm-backward"}) {
    const auto [code, output] = brickwork(
        fmt::format("--experiment {} --check --problem 'C20 H5' --problem 'C20 H5 residual+relu' --minibatch 3 "
                    "--contenders brickwork --plan 'bc=10 blocks=1 thread stream' --out {}",
                    experiment, fresh_folder().string()));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(output, HasSubstr("2 checks passed, 0 failed"));
  }
  for (const char* experiment : {"pool-forward", "pool-backward"}) {
    const auto [code, output] =
        brickwork(fmt::format("--experiment {} --check --problem 'C20 H5 R3 sh2' --problem 'C20 H5 R5 average' "
                              "--minibatch 3 --contenders brickwork --out {}",
                              experiment, fresh_folder().string()));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(output, HasSubstr("2 checks passed, 0 failed"));
  }
}

TEST(Program, ChecksTheTrainingPasses) {
  for (const char* experiment : {"conv-backward", "conv-update"}) {
    expect_right(experiment, "--problem 'N5 C16 K32 H9 R3 ph1' --problem 'C5 K7 H6 sh2'");
  }
}

TEST(Program, ChecksFullyConnectedLayers) {
  expect_right("fc-forward", "--problem 'N5 C16 K32' --problem 'N1 C5 K7 bias+residual+relu' --problem 'C70 K3 relu'");
  expect_right("fc-backward", "--problem 'N5 C16 K32' --problem 'N1 C5 K7 residual+drelu' --problem 'C70 K3 dtanh'");
  expect_right("fc-update", "--problem 'N5 C16 K32' --problem 'N1 C5 K7 bias' --problem 'C70 K3'");
}

TEST(Program, ChecksRecurrentLayers) {
  for (const char* experiment : {"rnn-inference", "rnn-forward", "rnn-backward"}) {
    expect_right(experiment,
                 "--problem 'T4 N5 C16' --problem 'T3 N1 C5 K7 gru reverse' --problem 'T2 N3 C20 lbr-gru L2'");
  }
  for (const char* experiment : {"rnn-backward-data", "rnn-update"}) {
    expect_right(experiment, "--contenders brickwork-simd --problem 'T4 N3 C5 K40 bidirectional unequal'");
  }
}

TEST(Program, ChecksRecursiveModels) {
  for (const char* experiment : {"recursive-inference", "recursive-training", "recursive-ablation"}) {
    expect_right(experiment,
                 "--problem 'tree-fc perfect H16 N2 S3' --problem 'nary-tree-lstm H20 N3' --problem 'mv-rnn H8 N2' "
                 "--problem 'dag-rnn grids H33 N1 S4' --problem 'lstm sequences H16 N2 S5' "
                 "--problem 'gru sequences H20 N3 S4'");
  }
}

// All states are checked, also c after each step, of which an LSTM layer keeps the last one alone.
TEST(Program, ChecksRecursiveModelsByRecurrentLayers) {
  const auto expect_checks = [](const char* experiment, const char* problems, const char* counts) {
    const auto [code, output] = brickwork(fmt::format("--experiment {} --check --contenders brickwork-rnn {} --out {}",
                                                      experiment, problems, fresh_folder().string()));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(output, HasSubstr(counts));
  };
  expect_checks("recursive-inference",
                "--problem 'lstm sequences H17 N3 S5' --problem 'gru sequences H17 N3 S5' --problem 'tree-gru H16 N1'",
                "2 checks passed, 0 failed, 1 skipped");
  expect_checks("recursive-training", "--problem 'gru sequences H17 N3 S5' --problem 'lstm sequences H17 N3 S5'",
                "1 checks passed, 0 failed, 1 skipped");
}

TEST(Program, ChecksRecursiveModelsOnTreesOfAFile) {
  const auto file = fresh_folder().concat(".txt");
  std::ofstream(file) << "2 2 4 4 -1\n-1\n1 2 -1\n";
  for (const char* experiment : {"recursive-inference", "recursive-training", "recursive-ablation"}) {
    expect_right(experiment, fmt::format("--structures '{}' --problem 'tree-lstm file H16 N3' "
                                         "--problem 'dag-rnn file H16 N2' --problem 'tree-gru H16 N2'",
                                         file.string()));
  }
}

TEST(Program, ChecksAttention) {
  for (const char* experiment : {"attention-forward", "attention-backward"}) {
    expect_right(experiment, "--problem 'T4 S5 N3 K16' --problem 'T3 S7 N5 K20 scaled unequal'");
  }
}

TEST(Program, ChecksWholeNetworks) {
  expect_right("mlp", "--problem 'N5 C16 L2' --problem 'N3 C70 L1 backward' --problem 'N2 C9 L3 forward'");
  expect_right("resnet50-step", "--problem 'N2 L14 H32 K10'");
  expect_right("gnmt-stack", "--problem 'T3 S4 N5 K20' --problem 'T2 S3 N4 K33 inference'");
}

// With one class, one value per channel, one state or one word, a value is subtracted from itself: the answer is zero.
TEST(Program, ChecksAnswersOfZeros) {
  const auto expect_all_right = [](const char* experiment, const char* contender, const char* problem) {
    const auto [code, output] = brickwork(fmt::format("--experiment {} --check --contenders {} --problem '{}' --out {}",
                                                      experiment, contender, problem, fresh_folder().string()));
    EXPECT_EQ(code, 0) << output;
    EXPECT_THAT(output, HasSubstr("1 checks passed, 0 failed, 0 skipped")) << experiment;
  };
  expect_all_right("softmax-loss", "brickwork", "N4 C1");
  expect_all_right("softmax-loss-backward", "brickwork", "N4 C1");
  expect_all_right("batch-norm-forward", "brickwork", "N1 C3 H1");
  expect_all_right("batch-norm-backward", "brickwork", "N1 C20 H1 residual+relu");
  expect_all_right("attention-backward", "brickwork-simd", "T5 S1 N3 K20 scaled unequal");
  expect_all_right("gnmt-stack", "brickwork-simd", "T1 S3 N2 K8");
  expect_all_right("mlp", "brickwork-simd", "N5 C1 L2");
}

// Without a GPU each contender's row says so.
TEST(Program, ChecksOnAGpuOrSaysWhyNot) {
  const auto folder = fresh_folder();
  for (const char* pass_and_type : {"forward --dtype f32", "backward --dtype tf32", "update --dtype bf16"}) {
    for (const char* operation : {"conv", "fc"}) {
      const std::string_view problem = *operation == 'c' ? "N2 C16 K16 H6 R3 ph1" : "N16 C64 K32";
      fs::remove_all(folder);
      const Ended ended = brickwork(fmt::format("--experiment gpu-{}-{} --check --problem '{}' --out {}", operation,
                                                pass_and_type, problem, folder.string()));
      const CsvTable table(folder / "samples.csv");
      ASSERT_GT(table.rows(), 0U) << ended.output;
      for (std::size_t i = 0; i < table.rows(); ++i) {
        EXPECT_EQ(table.at(i, "device"), "cuda");
        EXPECT_THAT(pass_and_type, testing::EndsWith("--dtype " + table.at(i, "dtype")));
        EXPECT_NE(table.at(i, "status"), "failed") << table.at(i, "reason");
        if (table.at(i, "status") == "absent") {
          EXPECT_THAT(table.at(i, "reason"), testing::ContainsRegex("built without|no CUDA|older than|loaded"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
