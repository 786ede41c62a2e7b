// Measurements of the program, and the meaning of its options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kSmall = "--problem 'C16 K16 H8 R3 ph1' --minibatch 4 --samples 3 --min-time 0.001 --threads 1";

TEST(Program, MeasuresABandwidthBoundProblemInBytes) {
  const auto folder = fresh_folder();
  const auto [code, output] = brickwork(
      fmt::format("--experiment add --problem 'N2 E100' --contenders brickwork,onednn --plan stream --samples 3 "
                  "--min-time 0.001 --threads 1 --out {}",
                  folder.string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr(" % of the stream\n"));
  EXPECT_THAT(output, HasSubstr("(fits in the caches)"));
  const CsvTable table(folder / "samples.csv");
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_NE(table.at(i, "contender"), "fma-peak");
    if (table.at(i, "primitive") != "add" || table.at(i, "phase") != "run") continue;
    EXPECT_EQ(table.at(i, "bytes"), "2400");
    EXPECT_EQ(table.at(i, "plan"), table.at(i, "ours") == "yes" ? "stream" : "");
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

TEST(Program, ChecksTheBrickAndTheMinibatchOfAProblemsText) {
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

TEST(Program, MeasuresTheBestPlanFoundBesideTheRules) {
  const auto folder = fresh_folder();
  const auto [code, output] = brickwork(
      fmt::format("--experiment conv-forward {} --contenders brickwork-simd,im2col --plan search:0.3 --out {}", kSmall,
                  folder.string()));
  EXPECT_EQ(code, 0) << output;
  const CsvTable table(folder / "samples.csv");
  std::map<std::string, int> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "phase") != "run" || table.at(i, "status") != "ok") continue;
    ++rows[table.at(i, "contender")];
    if (table.at(i, "contender") != "brickwork-simd-searched") continue;
    EXPECT_EQ(table.at(i, "ours"), "yes");
    EXPECT_EQ(table.at(i, "max_error"), "0");
    EXPECT_THAT(table.at(i, "plan"), testing::StartsWith("bc="));
    EXPECT_THAT(table.at(i, "implementation"), testing::MatchesRegex("brgemm loops(, the best of [0-9]+ plans)?"));
    EXPECT_NE(table.at(i, "tuning"), "");
  }
  const std::map<std::string, int> expected{
      {"stream", 10}, {"fma-peak", 3}, {"loaded-roof", 3}, {"brickwork-simd", 3}, {"brickwork-simd-searched", 3},
      {"im2col", 3}};
  EXPECT_EQ(rows, expected);
  EXPECT_THAT(output, testing::AnyOf(HasSubstr(" times as fast as brickwork-simd, with bc="),
                                     HasSubstr(": no plan was faster than brickwork-simd's\n")));
}

TEST(Program, AProblemsTextHasPrecedenceOverOptions) {
  const auto folder = fresh_folder();
  EXPECT_EQ(brickwork(fmt::format("--experiment conv-forward --check --contenders brickwork-portable --epilogue relu "
                                  "--minibatch 3 --problem 'C3 K5 H6 none' --problem 'N2 C3 K5 H6' --out {}",
                                  folder.string()))
                .code,
            0);
  const CsvTable table(folder / "samples.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.at(0, "epilogue"), "none");
  EXPECT_EQ(table.at(0, "N"), "3");
  EXPECT_EQ(table.at(1, "epilogue"), "relu");
  EXPECT_EQ(table.at(1, "N"), "2");
}

TEST(Program, AProblemLargerThanTheMemoryIsARowAndTheNextOneGoesOn) {
  const auto folder = fresh_folder();
  const auto [code, output] =
      brickwork(fmt::format("--experiment conv-forward --check --contenders brickwork-portable --problem 'N5000000 C64 "
                            "K64 H56' --problem 'C3 K5 H6' --out {}",
                            folder.string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("1 checks passed, 0 failed, 1 skipped"));
  const CsvTable table(folder / "samples.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.at(0, "status"), "unsupported");
  EXPECT_THAT(table.at(0, "reason"), HasSubstr("GB with 1 contender at once"));
  EXPECT_EQ(table.at(1, "status"), "ok");
}

}  // namespace
}  // namespace brickwork
