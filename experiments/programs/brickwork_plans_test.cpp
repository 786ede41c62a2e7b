// --plan print, --plan TEXT and --tuning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/run_program.hpp"
#include "kernels/brgemm/brgemm.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string plan_of(const char* layer, const char* contender, const char* tuning) {
  return brickwork(fmt::format("--experiment conv-forward --plan print --layer {} --contenders {} --tuning {}", layer,
                               contender, tuning))
      .output;
}

// Every contender that has plans prints its plan, except the slow one.
TEST(Program, PrintsPlans) {
  const auto [code, output] = brickwork("--experiment conv-forward --plan print --layer layer02,layer04 --minibatch 1");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-winograd unsupported: "));
  EXPECT_THAT(output, testing::ContainsRegex("layer04    brickwork-winograd bc=[0-9]+ bk=[0-9]+ tile=[24] tiles="));
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-simd "));
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-libxsmm "));
  EXPECT_THAT(output, Not(HasSubstr("brickwork-portable")));
}

TEST(Program, ExplainsAPlan) {
  for (const char* pass : {"forward", "backward", "update"}) {
    const auto [code, output] = brickwork(fmt::format(
        "--experiment conv-{} --plan explain --layer layer04 --minibatch 1 --contenders brickwork-simd", pass));
    EXPECT_EQ(code, 0);
    EXPECT_THAT(output, HasSubstr("What one iteration of each loop of a thread touches")) << pass;
    EXPECT_THAT(output, HasSubstr("From where the calls of a thread get their data")) << pass;
    EXPECT_THAT(output, testing::ContainsRegex("The next of [0-9]+ variants, by the ranking measured")) << pass;
  }
}

TEST(Program, RunsThePlanByAnalysisAndSaysHowItWasChosen) {
  const auto folder = fresh_folder();
  EXPECT_EQ(brickwork(fmt::format("--experiment conv-update --problem 'N2 C20 K40 H9 R3 ph1' --plan analysed --check "
                                  "--contenders brickwork-simd --out {}",
                                  folder.string()))
                .code,
            0);
  const CsvTable table(folder / "samples.csv");
  ASSERT_GT(table.rows(), 0U);
  EXPECT_EQ(table.at(0, "implementation"), "brgemm loops, first of the ranking measured");
  EXPECT_NE(table.at(0, "plan_seconds"), "");
}

// A contender for each ranking, each for its first plan and for the best of its first 5 %.
TEST(Program, RunsThePlansOfAllRankings) {
  const auto folder = fresh_folder();
  EXPECT_EQ(brickwork(fmt::format("--experiment conv-forward --problem 'N1 C16 K32 H6' --plan rank:0.1 --samples 3 "
                                  "--min-time 0.0001 --contenders brickwork-simd --out {}",
                                  folder.string()))
                .code,
            0);
  const CsvTable table(folder / "samples.csv");
  std::set<std::string> contenders;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "status") == "ok") contenders.insert(table.at(i, "contender"));
  }
  for (const char* name : {"measured", "latency", "trees", "network", "lru"}) {
    EXPECT_EQ(contenders.count(fmt::format("brickwork-simd-{}", name)), 1U) << name;
    EXPECT_EQ(contenders.count(fmt::format("brickwork-simd-{}-top", name)), 1U) << name;
  }
  EXPECT_EQ(contenders.count("brickwork-simd-searched") + contenders.count("brickwork-simd-random"), 2U);
}

TEST(Program, PrintsMeasuredVariants) {
  const auto [code, output] =
      brickwork("--experiment conv-forward --problem 'N1 C16 K32 H6' --plan variants:3 --contenders brickwork-simd");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, testing::StartsWith("pass,problem,plan,placed_l1,"));
  EXPECT_EQ(std::ranges::count(output, '\n'), 4) << output;
}

// The direct loops ignore a plan of Winograd's algorithm, and Winograd's algorithm ignores theirs.
TEST(Program, APlanIsForOneAlgorithm) {
  const auto plans = [](std::string_view asked) {
    const auto folder = fresh_folder();
    EXPECT_EQ(brickwork(fmt::format("--experiment conv-forward --problem 'N1 C8 K8 H6 R3 ph1' --plan '{}' --out {} "
                                    "--contenders brickwork-simd,brickwork-winograd --check",
                                    asked, folder.string()))
                  .code,
              0);
    const CsvTable table(folder / "samples.csv");
    std::map<std::string, std::string> of;
    for (std::size_t i = 0; i < table.rows(); ++i) of[table.at(i, "contender")] = table.at(i, "plan");
    return of;
  };
  auto of_direct = plans("bc=4 bk=8 bq=3 loops={n} kb oj oi cb");
  EXPECT_THAT(of_direct["brickwork-simd"], HasSubstr("bc=4 bk=8 bq=3 "));
  EXPECT_THAT(of_direct["brickwork-winograd"], HasSubstr("bc=8 bk=8 tile="));
  auto of_winograd = plans("bc=4 bk=8 tile=2 tiles=5 loops={g} kb");
  EXPECT_THAT(of_winograd["brickwork-simd"], HasSubstr("bc=8 bk=8 bq="));
  EXPECT_EQ(of_winograd["brickwork-winograd"], "bc=4 bk=8 tile=2 tiles=5 loops={g} kb");
}

TEST(Program, PrintsPlansForTheTuning) {
  if (brgemm_backend(Backend::simd).isas.front() == Isa::avx2) GTEST_SKIP() << "AVX2 has blocks of 32 anyway";
  for (const auto& [words, bk] : {std::pair{"narrow", " bk=16 "}, {"wide", " bk=64 "}}) {
    EXPECT_THAT(plan_of("layer01", "brickwork-simd", words), HasSubstr(bk));
  }
}

TEST(Program, PrintsWhatARecursiveCellIsLoweredTo) {
  const auto printed = [](const char* words) {
    return brickwork(fmt::format("--experiment recursive-inference --contenders brickwork-simd --problem "
                                 "'tree-lstm H64 N2' --plan {}",
                                 words))
        .output;
  };
  EXPECT_THAT(printed("print"),
              testing::ContainsRegex(" brickwork-simd +bk=[0-9]+ rows=[0-9]+ levels=1 [^\n]*\nleaves"));
  EXPECT_THAT(printed("print"), HasSubstr(" * U_f\n"));
}

// Contenders with equal plans and implementations are one program to the report: it would compare nothing.
TEST(Program, EachVariantOfARecursiveModelIsAnotherProgram) {
  const auto folder = fresh_folder();
  const auto [code, output] = brickwork(
      fmt::format("--experiment recursive-ablation --check --problem 'tree-lstm H32 N2' --out {}", folder.string()));
  EXPECT_EQ(code, 0) << output;
  const CsvTable table(folder / "samples.csv");
  std::set<std::pair<std::string, std::string>> programs;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_TRUE(programs.emplace(table.at(i, "implementation"), table.at(i, "plan")).second)
        << table.at(i, "contender");
  }
  EXPECT_GE(programs.size(), 9U);
}

// The other bricks choose their instruction set themselves.
TEST(Program, TheInstructionSetIsForTheSimdBrickOnly) {
  const auto [code, output] =
      brickwork("--experiment conv-forward --plan print --layer layer02 --isa avx2 --contenders brickwork-portable");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-portable bc="));
}

TEST(Program, ATuningIsForTheSimdBrickOnly) {
  const auto plan = [](const char* contender, const char* words) { return plan_of("layer07", contender, words); };
  EXPECT_NE(plan("brickwork-simd", "src=lines"), plan("brickwork-simd", "src=runs"));
  EXPECT_EQ(plan("brickwork-portable", "src=lines"), plan("brickwork-portable", "src=runs"));
}

}  // namespace
}  // namespace brickwork
