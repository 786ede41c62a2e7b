// The real program: exit codes, sentences, files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "harness/testing/csv_table.hpp"
#include "testing/program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kSmall = "--problem 'C16 K16 H8 R3 ph1' --minibatch 4 --samples 3 --min-time 0.001 --threads 1";

TEST(Program, WrongUsageIsOneSentenceAndCode2) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "say what to measure: --experiment conv-forward or --experiment brgemm"},
      {"--experiment conv-fwd", "unknown experiment 'conv-fwd'; the closest is 'conv-forward'"},
      {"--experiment brgemm --shape x", "unknown option '--shape'; the closest is '--shapes'"},
      {"--experiment brgemm extra", "unexpected argument 'extra'"},
      {"--experiment brgemm --contenders brickwork-simd,libxsmm", "unknown contender 'libxsmm'; the closest is"},
      {"--experiment conv-forward --layer layer1", "unknown layer 'layer1'; the closest is 'layer01'"},
      {"--experiment conv-forward --shapes resnet", "unknown shape set 'resnet'; the closest is 'resnet50'"},
      {"--experiment conv-forward --shapes no.csv", "there is no shape file 'no.csv'"},
      {"--experiment conv-forward --problem 'C64 K64'", "--problem \"C64 K64\": "},
      {"--experiment conv-forward --problem 'C1 K1 H2 R5'", "--problem \"C1 K1 H2 R5\": "},
      {"--experiment conv-forward --problem 'C1 K1 H2' --problem 'C1 K1 H2'", "are the same problem"},
      {"--experiment conv-forward --problem 'C1 K1 H2' --layer layer01", "--layer chooses from a shape file"},
      {"--experiment conv-forward --problem 'C1 K1 H2' --shapes resnet50", "--problem and --shapes both"},
      {"--experiment conv-forward --minibatch 1000000", "more than the"},
      {"--experiment conv-forward --minibatch 0", "--minibatch"},
      {"--experiment conv-forward --epilogue relo", "relo"},
      {"--experiment conv-forward --cache warm", "--cache"},
      {"--experiment conv-forward --samples 0", "--samples"},
      {"--experiment conv-forward --samples many", "--samples"},
      {"--experiment conv-forward --threads 100000", "--threads"},
      {"--experiment conv-forward --isa sse9", "sse9"},
      {"--experiment brgemm --minibatch 2", "--minibatch belongs to conv-forward, not to brgemm"},
      {"--experiment brgemm --plan print", "--plan belongs to conv-forward, not to brgemm"},
      {"--experiment brgemm --epilogue relu", "--epilogue belongs to conv-forward, not to brgemm"},
      {"--experiment brgemm --plan 'bc=1'", "--plan belongs to conv-forward, not to brgemm"},
      {"--experiment brgemm --shapes resnet50", "these are conv problems"},
      {"--experiment brgemm --threads", "--threads"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto [code, output] = brickwork(arguments);
    EXPECT_EQ(code, 2) << arguments << "\n" << output;
    EXPECT_THAT(output, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
  }
}

TEST(Program, ExplainsItself) {
  const auto help = brickwork("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* option : {"--experiment", "--shapes", "--problem", "--layer", "--contenders", "--threads",
                             "--minibatch", "--epilogue", "--cache", "--samples", "--min-time", "--time-budget",
                             "--isa", "--plan", "--out", "--check", "--list", "--version"}) {
    EXPECT_THAT(help.output, HasSubstr(option));
  }
  EXPECT_EQ(brickwork("--version").code, 0);
  const auto list = brickwork("--list");
  EXPECT_EQ(list.code, 0);
  for (const char* name :
       {"conv-forward", "brgemm", "brickwork-simd", "onednn", "openblas-gemm", "resnet50", "layer20"}) {
    EXPECT_THAT(list.output, HasSubstr(name));
  }
}

TEST(Program, MeasuresAConvolution) {
  const auto folder = fresh_folder();
  const auto [code, output] =
      brickwork(fmt::format("--experiment conv-forward {} --epilogue bias+relu --contenders "
                            "brickwork-simd,brickwork-portable,onednn --out {}",
                            kSmall, folder.string()));
  EXPECT_EQ(code, 0) << output;
  const CsvTable table(folder / "samples.csv");
  std::set<std::vector<std::string>> keys;
  int simd_rows = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_TRUE(
        keys.insert({table.at(i, "problem"), table.at(i, "contender"), table.at(i, "phase"), table.at(i, "sample")})
            .second);
    EXPECT_EQ(table.at(i, "threads"), "1");
    if (table.at(i, "contender") != "brickwork-simd" || table.at(i, "phase") != "run") continue;
    ++simd_rows;
    EXPECT_EQ(table.at(i, "problem"), "N4_C16_K16_H8_W8_R3_S3_sh1_sw1_ph1_pw1_bias+relu");
    EXPECT_EQ(table.at(i, "epilogue"), "bias+relu");
    EXPECT_EQ(table.at(i, "max_error"), "0");
    EXPECT_EQ(std::stod(table.at(i, "flop")), 2.0 * 4 * 16 * 16 * 8 * 8 * 9);
    EXPECT_GT(std::stod(table.at(i, "seconds")), 0);
    EXPECT_NE(table.at(i, "plan"), "");
  }
  EXPECT_EQ(simd_rows, 3);
  EXPECT_THAT(output, HasSubstr(folder.string()));
}

TEST(Program, ChecksTheBrickAndTheMinibatchOfTheText) {
  const auto folder = fresh_folder();
  EXPECT_EQ(
      brickwork(fmt::format("--experiment brgemm --check --problem 'm7 n17 k5 batch3' --out {}", folder.string())).code,
      0);
  EXPECT_EQ(CsvTable(folder / "samples.csv").at(0, "n"), "17");
  fs::remove_all(folder);
  EXPECT_EQ(brickwork(fmt::format("--experiment conv-forward --check --problem 'N2 C3 K5 H6 R3 ph1 sh2' --contenders "
                                  "brickwork-portable --out {}",
                                  folder.string()))
                .code,
            0);
  EXPECT_EQ(CsvTable(folder / "samples.csv").at(0, "N"), "2");
}

TEST(Program, PrintsPlans) {
  const auto [code, output] = brickwork("--experiment conv-forward --plan print --layer layer02 --minibatch 1");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, HasSubstr("layer02"));
}

TEST(Program, UnwritableResultsAreOneSentence) {
  const auto [code, output] = brickwork(fmt::format("--experiment conv-forward {} --out /dev/full", kSmall));
  EXPECT_EQ(code, 1);
  EXPECT_THAT(output, HasSubstr("the folder /dev/full cannot be made"));
}

// A limit on file sizes stands in for a disk that fills up in the middle of a run.
TEST(Program, AFullDiskKeepsTheFinishedRows) {
  const auto folder = fresh_folder();
  const auto [code, output] = shell(
      fmt::format("bash -c \"ulimit -f 64; '{}' --experiment brgemm --contenders brickwork-simd --samples 3 --min-time "
                  "0.0001 --out {}\"",
                  BRICKWORK_PROGRAM, folder.string()));
  EXPECT_EQ(code, 1) << output;
  EXPECT_THAT(output, HasSubstr("samples.csv cannot be written: File too large"));
  std::ifstream in(folder / "samples.csv");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_GT(std::ranges::count(text, '\n'), 100);
}

TEST(Program, AnInterruptKeepsTheFinishedRows) {
  const auto folder = fresh_folder();
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stdout);
    execl(BRICKWORK_PROGRAM, "brickwork", "--experiment", "brgemm", "--contenders", "brickwork-simd", "--min-time",
          "0.001", "--samples", "20", "--out", folder.c_str(), nullptr);
    _exit(127);
  }
  const auto rows = [&] {
    std::ifstream in(folder / "samples.csv");
    return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
  };
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  int status = 0;
  while (rows() < 60) {
    ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "it ended by itself";
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(child, SIGINT);
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_GE(CsvTable(folder / "samples.csv").rows(), 59U);
}

}  // namespace
}  // namespace brickwork
