// The answers of the program to a command line that is wrong or asks for help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

TEST(Program, WrongUsageIsOneSentenceAndCode2) {
  const std::pair<std::string, std::string> cases[] = {
      {"--check", "say what to measure: --experiment NAME; --list shows all names"},
      {"--experiment xyz", "unknown experiment 'xyz'; there are: conv-forward, conv-backward, "},
      {"--experiment 'xyz*'", "no experiment matches 'xyz*'; there are: conv-forward, "},
      {"--experiment brgemm,conv-forward --layer 'layer0?'", "no layer matches 'layer0?'; there are: m1_n16_k64_b16, "},
      {"--experiment brgemm,fc-forward --check --csv -", "--csv and --json print the rows of one experiment"},
      {"--experiment brgemm --check --csv rows.csv", "--csv: rows.csv"},
      {"--experiment brgemm --check --csv - --json -", " excludes --"},
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
      {"--experiment conv-forward --minibatch 0", "--minibatch"},
      {"--experiment conv-forward --epilogue relo", "relo"},
      {"--experiment conv-forward --cache warm", "--cache"},
      {"--experiment conv-forward --samples 0", "--samples"},
      {"--experiment conv-forward --samples many", "--samples"},
      {"--experiment brgemm --check --problem 'm1 n1 k1' --samples 2.5",
       "--samples: 2.5 is no whole number from 1 to 100000"},
      {"--experiment brgemm --check --problem 'm1 n1 k1' --min-time nan",
       "--min-time: nan is no time in seconds from 1e-06 to 3600"},
      {"--experiment brgemm --check --problem 'm1 n1 k1' --time-budget nan",
       "--time-budget: nan is no time in seconds from 1 to 1000000000"},
      {"--experiment brgemm --check --problem 'm1 n1 k1' --time-budget inf",
       "--time-budget: inf is no time in seconds"},
      {"--experiment brgemm --check --problem 'm1 n1 k1' --out $'results/caf\\xE9'",
       "\"results/caf\uFFFD\" is not UTF-8"},
      {"--experiment conv-forward --threads 100000", "--threads"},
      {"--experiment conv-forward --isa sse9", "sse9"},
      {"--experiment brgemm --minibatch 2", ", not to brgemm"},
      {"--experiment conv-forward --dtype bf16", "--dtype belongs to gpu-conv-forward, gpu-conv-backward, "},
      {"--experiment gpu-fc-forward --dtype fp8", "--dtype"},
      {"--experiment gpu-conv-forward --plan print", "--plan belongs to conv-forward, conv-backward, "},
      {"--experiment brgemm --plan print", "--plan belongs to conv-forward, conv-backward, "},
      {"--experiment brgemm --epilogue relu", "--epilogue belongs to conv-forward, "},
      {"--experiment conv-backward --problem 'C3 K5 H6 bias+relu'",
       "--problem \"C3 K5 H6 bias+relu\": the epilogue is bias+relu: for the pass backward-data it must be none"},
      {"--experiment fc-backward --problem 'C3 K5 relu'", "for the pass backward-data it must be none"},
      {"--experiment fc-update --epilogue relu", "for the pass weight-update it must be none or bias"},
      {"--experiment fc-forward --problem 'C3 K5 H6'", "--problem \"C3 K5 H6\": 'H6' is no size"},
      {"--experiment fc-forward --shapes resnet50", "these are conv problems"},
      {"--experiment brgemm --plan 'bc=1'", "--plan belongs to conv-forward, conv-backward, "},
      {"--experiment conv-backward --epilogue relu",
       "the epilogue is relu: for the pass backward-data it must be none"},
      {"--experiment conv-forward --epilogue drelu", "the epilogue is drelu: for the pass forward it must be none"},
      {"--experiment conv-update --problem 'C3 K5 H6 residual'", "for the pass weight-update it must be none or bias"},
      {"--experiment brgemm --shapes resnet50", "these are conv problems"},
      {"--experiment brgemm --threads", "--threads"},
      {"--experiment brgemm --plan search", "--plan belongs to conv-forward, conv-backward, "},
      {"--experiment add --structures /dev/null", "--structures belongs to recursive-inference, recursive-training, "},
      {"--experiment recursive-inference --structures no.txt", "--structures: File does not exist: no.txt"},
      {"--experiment recursive-inference --problem 'tree-lstm file H16'", "no file is given"},
      {"--experiment recursive-inference --problem 'tree-lstm H16 N0'", "N is 0: it must be from 1 to 2^20"},
      {"--experiment recursive-inference --problem 'tree-lstm grids H16'", "tree-lstm takes trees and sequences"},
      {"--experiment recursive-inference --problem 'tree-lstn H16'", "a model: tree-fc, tree-rnn, tree-lstm, "},
      {"--experiment recursive-ablation --problem 'tree-lstm H16' --plan 'bk=16 rows=8 fuse=2'",
       "fuse is 2: a pass is off (0) or on (1)"},
      {"--experiment recursive-inference --problem 'tree-lstm H16' --plan 'bk=64 rows=8'",
       "--plan fits none of the problems: bk must be at most H = 16 rounded up"},
      {"--experiment add --plan streams", "plan 'streams' is unknown: expected one of cached, stream, stream-l2"},
      {"--experiment add-backward --problem 'E8 none'", "the derivative of an addition without a ReLU is ddst itself"},
      {"--experiment pool-forward --problem 'C3 H8 R2 ph2'", "the first window would hold nothing but padding"},
      {"--experiment pool-forward --problem 'C3 H8 R2' --plan 'bc=4 cached'",
       "--plan fits none of the problems: plan 'bc=4 cached' does not fit N28_C3_H8"},
      {"--experiment batch-norm-forward --plan 'bc=4 cached'", "lacks blocks"},
      {"--experiment conv-forward --plan search:fast",
       "--plan search:fast gives no time in seconds from 0.1 to 3600 after search:"},
      {"--experiment conv-forward --plan search:0.05", "--plan search:0.05 gives no time in seconds from 0.1 to 3600"},
      {"--experiment conv-forward --plan search:", "--plan search: gives no time in seconds from 0.1 to 3600"},
      {"--experiment conv-forward --plan rank:fast", "--plan rank:fast gives no time in seconds from 0.1 to 3600"},
      {"--experiment conv-forward --plan variants:0", "--plan variants:0 gives no whole number from 1 to 1000000"},
      {"--experiment conv-forward --plan variants --check", "it cannot go with --check or --cache cold"},
      {"--experiment rnn-forward --plan analysed", "the analysis has no plans of the pass forward"},
      {"--experiment rnn-forward --plan rank", "--plan rank: no contender searches plans of the pass forward"},
      {"--experiment conv-forward --plan explain --contenders onednn", "no chosen contender reads --plan"},
      {"--experiment conv-forward --plan searching", "plan 'searching' lacks its loops"},
      {"--experiment conv-forward --plan search --cache cold", "they cannot go with --cache cold"},
      {"--experiment conv-forward --plan search --check", "they cannot go with --check"},
      {"--experiment conv-forward --plan search:9 --contenders brickwork-simd --time-budget 10",
       "--plan search takes 180 s in all (20 problems, 9 s each), more than half of --time-budget 10"},
      {"--experiment conv-forward --contenders brickwork-simd --time-budget 2 --min-time 0.1",
       "--time-budget 2 is too short: 3 samples of 0.1 s of 1 contender on 20 problems take 33 s without the checks; "
       "give it at least that, or take fewer problems or contenders"},
      {"--experiment conv-forward --plan search --contenders onednn",
       "no chosen contender reads --plan: choose one of brickwork-simd, brickwork-simd-searched, "},
      {"--experiment conv-forward --contenders onednn --plan print",
       "no chosen contender reads --plan: choose one of "},
      {"--experiment conv-forward --contenders onednn --plan 'bc=64 bk=64 bq=28 loops={n kb} cb oj oi'",
       "no chosen contender reads --plan: choose one of brickwork-simd, brickwork-libxsmm, brickwork-portable"},
      {"--experiment conv-forward --plan 'bc=64 bk=64 loops={n kb} cb oj oi'", "lacks bq"},
      {"--experiment conv-forward --layer layer04 --minibatch 1 --check --plan 'bc=64 bk=64 bq=28 loops={n kb} oj oi'",
       "--plan fits none of the problems: loop schedule '{n kb} oj oi': the loop 'cb' is missing"},
      {"--experiment conv-forward --layer layer04 --minibatch 1 --check --plan 'bc=64 bk=64 bq=28 loops={n cb} kb oj "
       "oi'",
       "'cb' adds to one output and cannot run in parallel"},
      {"--experiment conv-forward --layer layer04 --minibatch 1 --check --plan 'bc=64 bk=64 bq=28 flat loops={n kb} cb "
       "oj oi'",
       "--plan fits none of the problems: "},
      {"--experiment conv-forward --contenders brickwork-simd --plan 'bc=64 bk=64 tile=2 tiles=28 loops={g} kb'",
       "no chosen contender reads --plan: choose one of brickwork-winograd"},
      {"--experiment conv-update --layer layer04 --minibatch 1 --check --plan 'bc=64 bk=65 tile=2 tiles=28 loops={g} "
       "kb'",
       "--plan fits none of the problems: plan 'bc=64 bk=65 tile=2 tiles=28 loops={g} kb': bk must be from 1 to K = "
       "64"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto [code, output] = brickwork(arguments);
    EXPECT_EQ(code, 2) << arguments << "\n" << output;
    EXPECT_THAT(output, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
  }
}

TEST(Program, AShapeFileMustFitTheOperation) {
  const auto file = fresh_folder().concat(".csv");
  std::ofstream(file) << "name,count,C,K,H,epilogue\nplain,1,3,5,6,none\nfused,1,3,5,6,relu\n";
  const auto [code, output] = brickwork(fmt::format("--experiment conv-update --shapes '{}'", file.string()));
  EXPECT_EQ(code, 2);
  EXPECT_THAT(output, HasSubstr("fused of " + file.stem().string() + ": the epilogue is relu"));
  EXPECT_NE(brickwork(fmt::format("--experiment conv-update --check --layer plain --shapes '{}' --out {}",
                                  file.string(), fresh_folder().string()))
                .code,
            2)
      << "a layer that is not chosen does not matter";
}

TEST(Program, AFileWithoutTreesIsRefusedInOneSentence) {
  const auto [code, output] =
      brickwork("--experiment recursive-inference --structures /dev/null --problem 'tree-lstm file H16'");
  EXPECT_NE(code, 0);
  EXPECT_EQ(output, "brickwork: /dev/null has no tree\n");
}

// The message also has the schedule, with a mark under the wrong character.
TEST(Program, AnOverflowingStepOfAPlanIsRefused) {
  const auto [code, output] =
      brickwork("--experiment conv-forward --plan 'bc=64 bk=64 bq=28 loops={n:9223372036854775807} kb cb oj oi'");
  EXPECT_EQ(code, 2);
  EXPECT_THAT(output, HasSubstr("a step must be a whole number from 1 to 2^40\n"));
}

TEST(Program, VariablesOfTheEngineAreRefused) {
  const auto [code, output] = brickwork("--experiment conv-forward --problem 'C16 K16 H8'", "BENCHMARK_FILTER=onednn");
  EXPECT_EQ(code, 2);
  EXPECT_THAT(output, HasSubstr("BENCHMARK_FILTER is set, from which Google Benchmark would take how it measures"));
  EXPECT_EQ(std::ranges::count(output, '\n'), 1) << output;
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
  for (const char* name : {"conv-forward", "conv-backward", "conv-update", "fc-forward", "fc-backward", "fc-update",
                           "brgemm", "resnet50", "layer20", "fc-inference"}) {
    EXPECT_THAT(list.output, HasSubstr(name));
  }
  EXPECT_THAT(list.output, testing::Not(HasSubstr("failed:")));
}

TEST(Program, WithoutArgumentsShowsExamples) {
  const auto [code, output] = brickwork("");
  EXPECT_EQ(code, 0);
  EXPECT_LE(std::ranges::count(output, '\n'), 24) << output;
  EXPECT_THAT(output, HasSubstr("\n  brickwork --experiment conv-forward "));
}

// The experiments of a GPU are listed behind those of the host. Without a device the list says once why they cannot
// run.
TEST(Program, ListsExperimentsByPrimitive) {
  const std::string list = brickwork("--list").output;
  EXPECT_THAT(list, testing::StartsWith("conv\n  conv-forward "));
  EXPECT_THAT(list, testing::ContainsRegex("\n  conv-update +[^\n]*\n +shapes resnet50; or one problem: --problem "
                                           "\"N1 C64 K64 H14 R3 ph1\"\n  gpu-conv-forward "));
  EXPECT_LT(list.find("  rnn-backward "), list.find("  gpu-rnn-forward "));
  EXPECT_THAT(list, HasSubstr("\nfc\n  fc-forward "));
  EXPECT_EQ(list.find("\nconv\n"), std::string::npos) << "once";
  if (!std::filesystem::exists("/dev/nvidia0")) {
    EXPECT_THAT(list, testing::ContainsRegex("\n  gpu-conv-forward +[^\n]* \\(1\\)\n"));
    const std::size_t reason = list.find("\n(1) not here: absent: ");
    EXPECT_TRUE(reason != std::string::npos && list.find("not here", reason + 20) == std::string::npos) << list;
  }
}

TEST(Program, ListsTheContendersOfAnExperimentThatIsNamed) {
  EXPECT_THAT(brickwork("--list --experiment conv-forward").output,
              HasSubstr("\n  brickwork-winograd         available\n"));
  const auto [code, output] = brickwork("--list --experiment brgemm,fc-*");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, HasSubstr("fc-update: "));
  EXPECT_THAT(output, testing::ContainsRegex("brgemm: [^\n]*\n  brickwork-simd +available\n"));
  EXPECT_THAT(output, HasSubstr("\n  openblas-gemm "));
}

}  // namespace
}  // namespace brickwork
