// Compares the memory that a run estimates before it starts with the memory that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/harness/run/memory_of.hpp"
#include "experiments/harness/testing/csv_table.hpp"
#include "experiments/harness/testing/json_file.hpp"
#include "experiments/harness/testing/run_program.hpp"
#include "primitives/attention/op/attention_ops.hpp"
#include "primitives/batch_norm/op/batch_norm_ops.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/fc/op/fc_ops.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

// Peak memory in bytes of a run that checks one of our contenders.
double peak_of(const std::string& experiment, const std::string& problem) {
  const auto folder = fresh_folder();
  const auto [code, output] = brickwork(fmt::format(
      "--check --threads 1 --tuning default --experiment {} --problem '{}' --contenders {} --out {}", experiment,
      problem, experiment.starts_with("batch-norm") ? "brickwork" : "brickwork-portable", folder.string()));
  EXPECT_EQ(code, 0) << output;
  return read_json(folder / "environment.json").at("peak_memory_bytes");
}

template <Operation Op>
void expect_needed(const std::string& experiment, const std::string& problem, const std::string& tiny) {
  const double taken = peak_of(experiment, problem) - peak_of(experiment, tiny);
  const double needed =
      memory_of<Op>(parse_problem(problem, typename Op::Problem{}), {.contenders = 1, .workloads = 2});
  EXPECT_GT(taken, 50e6) << "too little to tell";
  EXPECT_GE(needed, 0.9 * taken) << experiment << " " << problem << " took " << 1e-6 * taken << " MB";
  EXPECT_LE(needed, 2 * taken) << experiment << " " << problem << " took " << 1e-6 * taken << " MB";
}

class Memory : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer takes memory of its own";
#endif
  }
};

TEST_F(Memory, OfImagesCountsAllOfThemAndAFewInDouble) {
  expect_needed<ConvForwardOp>("conv-forward", "N28 C16 K64 H56", "N1 C1 K1 H2");
}

TEST_F(Memory, OfWeightsCountsThemInDouble) { expect_needed<FcForwardOp>("fc-forward", "N1 C2048 K2048", "N1 C1 K1"); }

// The statistics need all images, so the right answer does, too.
TEST_F(Memory, OfAWholeMinibatchCountsItInDouble) {
  expect_needed<BatchNormForwardOp>("batch-norm-forward", "N8 C64 H56", "N2 C1 H2");
}

TEST_F(Memory, OfSequencesCountsTheirScores) {
  expect_needed<AttentionForwardOp>("attention-forward", "T20 S400 N64 K128", "T2 S2 N1 K2");
}

TEST_F(Memory, OfARecurrenceCountsEveryStep) {
  expect_needed<RnnForwardOp>("rnn-forward", "T800 N32 C64 K64", "T2 N1 C1 K1");
}

TEST_F(Memory, OfANetworkCountsItsLayers) { expect_needed<MlpOp>("mlp", "N32 C1024 L3", "N2 C2 L2"); }

// No machine has so much memory: the row must be written before any tensor is filled.
TEST_F(Memory, AProblemThatNeedsTooMuchIsRefusedAtOnce) {
  const auto folder = fresh_folder();
  const auto [code, output] =
      brickwork("--check --experiment batch-norm-forward --problem 'N1000000 C64 H56' --problem 'N2 C1 H2' --out " +
                folder.string());
  EXPECT_EQ(code, 0) << output;
  const CsvTable table(folder / "samples.csv");
  ASSERT_EQ(table.at(0, "status"), "unsupported");
  EXPECT_THAT(table.at(0, "reason"), testing::MatchesRegex("N1000000_C64_H56.* needs about [0-9.]+ GB with 1 contender "
                                                           "at once, and [0-9.]+ GB are left"));
  EXPECT_LT(read_json(folder / "environment.json").at("peak_memory_bytes"), 1e9);
  EXPECT_EQ(table.at(table.rows() - 1, "N"), "2");
}

}  // namespace
}  // namespace brickwork
