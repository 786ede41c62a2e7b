// What the command line means, and what it answers to one that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/run_program.hpp"

namespace brickwork {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string kSmall = "--problem 'C16 K16 H8 R3 ph1' --minibatch 4 --samples 3 --min-time 0.001 --threads 1";

TEST(Program, WrongUsageIsOneSentenceAndCode2) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "say what to measure: --experiment conv-forward or --experiment conv-backward or "},
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
      {"--experiment conv-forward --plan searching", "plan 'searching' lacks its loops"},
      {"--experiment conv-forward --plan search --cache cold", "it cannot go with --cache cold"},
      {"--experiment conv-forward --plan search --check", "it cannot go with --check"},
      {"--experiment conv-forward --plan search:9 --contenders brickwork-simd --time-budget 10",
       "--plan search takes 180 s in all (20 problems, 1 contender, 9 s each), more than half of --time-budget 10"},
      {"--experiment conv-forward --plan search --contenders onednn",
       "nobody who was chosen reads --plan: choose one of brickwork-simd, brickwork-simd-searched, "},
      {"--experiment conv-forward --contenders onednn --plan print",
       "nobody who was chosen reads --plan: choose one of "},
      {"--experiment conv-forward --contenders onednn --plan 'bc=64 bk=64 bq=28 loops={n kb} cb oj oi'",
       "nobody who was chosen reads --plan: choose one of brickwork-simd, brickwork-libxsmm, brickwork-portable"},
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
       "nobody who was chosen reads --plan: choose one of brickwork-winograd"},
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

TEST(Program, AShapeFilesProblemsAreThoseOfTheOperation) {
  const auto file = fresh_folder().concat(".csv");
  std::ofstream(file) << "name,count,C,K,H,epilogue\nplain,1,3,5,6,none\nfused,1,3,5,6,relu\n";
  const auto [code, output] = brickwork(fmt::format("--experiment conv-update --shapes '{}'", file.string()));
  EXPECT_EQ(code, 2);
  EXPECT_THAT(output, HasSubstr("fused of " + file.stem().string() + ": the epilogue is relu"));
  EXPECT_NE(brickwork(fmt::format("--experiment conv-update --check --layer plain --shapes '{}' --out {}",
                                  file.string(), fresh_folder().string()))
                .code,
            2)
      << "what is not chosen does not matter";
}

// The sentence goes on with the schedule and a mark under the offending character.
TEST(Program, AnOverflowingStepOfAPlanIsRefused) {
  const auto [code, output] =
      brickwork("--experiment conv-forward --plan 'bc=64 bk=64 bq=28 loops={n:9223372036854775807} kb cb oj oi'");
  EXPECT_EQ(code, 2);
  EXPECT_THAT(output, HasSubstr("a step must be a whole number from 1 to 2^40\n"));
}

TEST(Program, VariablesOfTheEngineAreRefused) {
  const auto [code, output] =
      shell(fmt::format("BENCHMARK_FILTER=onednn '{}' --experiment conv-forward {}", BRICKWORK_PROGRAM, kSmall));
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
  for (const char* name :
       {"conv-forward", "conv-backward", "conv-update", "fc-forward", "fc-backward", "fc-update", "brgemm",
        "brickwork-simd", "onednn", "openblas-gemm", "resnet50", "layer20", "fc-inference"}) {
    EXPECT_THAT(list.output, HasSubstr(name));
  }
  EXPECT_THAT(list.output, testing::Not(HasSubstr("failed:")));
}

// Every contender that this build has.
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

TEST(Program, MeasuresWhatTheMemoryLimitsInBytes) {
  const auto folder = fresh_folder();
  const auto [code, output] = brickwork(
      fmt::format("--experiment add --problem 'N2 E100' --contenders brickwork,onednn --plan stream --samples 3 "
                  "--min-time 0.001 --threads 1 --out {}",
                  folder.string()));
  EXPECT_EQ(code, 0) << output;
  EXPECT_THAT(output, HasSubstr("GB/s % of stream"));
  EXPECT_THAT(output, HasSubstr("(fits in the caches)"));
  const CsvTable table(folder / "samples.csv");
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_NE(table.at(i, "contender"), "fma-peak");
    if (table.at(i, "primitive") != "add" || table.at(i, "phase") != "run") continue;
    EXPECT_EQ(table.at(i, "bytes"), "2400");
    EXPECT_EQ(table.at(i, "plan"), table.at(i, "ours") == "yes" ? "stream" : "");
  }
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

// One class, one value a channel, one state, one word: what is taken from itself leaves nothing.
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

// Where there is no GPU each contender's row says so.
TEST(Program, ChecksOnAGpuOrSaysWhyThereIsNone) {
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

TEST(Program, MeasuresTheBestPlanThatItFindsBesideTheRules) {
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

// Of all that have plans but the slow one.
TEST(Program, PrintsPlans) {
  const auto [code, output] = brickwork("--experiment conv-forward --plan print --layer layer02,layer04 --minibatch 1");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-winograd unsupported: "));
  EXPECT_THAT(output, testing::ContainsRegex("layer04    brickwork-winograd bc=[0-9]+ bk=[0-9]+ tile=[24] tiles="));
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-simd "));
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-libxsmm "));
  EXPECT_THAT(output, Not(HasSubstr("brickwork-portable")));
}

// Of a plan of Winograd's algorithm the direct loops take no notice, nor it of theirs.
TEST(Program, APlanIsThatOfItsAlgorithm) {
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

TEST(Program, PrintsThePlansOfTheTuningThatARunHas) {
  for (const auto& [words, bk] : {std::pair{"narrow", " bk=16 "}, {"wide", " bk=64 "}}) {
    EXPECT_THAT(brickwork(fmt::format("--experiment conv-forward --plan print --layer layer01 --tuning {} "
                                      "--contenders brickwork-simd",
                                      words))
                    .output,
                HasSubstr(bk));
  }
}

// The others have instruction sets of their own.
TEST(Program, TheInstructionSetIsAskedOfTheSimdBrickAlone) {
  const auto [code, output] =
      brickwork("--experiment conv-forward --plan print --layer layer02 --isa avx2 --contenders brickwork-portable");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(output, HasSubstr("layer02    brickwork-portable bc="));
}

TEST(Program, ATuningIsOfTheSimdBrickAlone) {
  const auto plan = [](std::string_view contender, std::string_view words) {
    return brickwork(fmt::format("--experiment conv-forward --plan print --layer layer07 --tuning {} --contenders {}",
                                 words, contender))
        .output;
  };
  EXPECT_NE(plan("brickwork-simd", "src=lines"), plan("brickwork-simd", "src=runs"));
  EXPECT_EQ(plan("brickwork-portable", "src=lines"), plan("brickwork-portable", "src=runs"));
}

TEST(Program, WhatAProblemSaysStandsBeforeTheOption) {
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
