// Compares our definition of recurrent layers with PyTorch's, both in f64.
#include "baselines/pytorch/pytorch_rnn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "baselines/contender/checker.hpp"
#include "baselines/pytorch/testing/difference_in_f64.hpp"

namespace brickwork {
namespace {

using pytorch::RnnPass;

template <Operation Op>
double difference_in_f64(const std::string& text, RnnPass pass, const std::string& definition) {
  return pytorch::difference_in_f64<Op>(text, definition, [pass](const RnnProblem& p, const PlainTensors& in) {
    return pytorch::prepare_rnn(p, pass, in, {.threads = 2});
  });
}

double difference_in_f64(const std::string& text, const std::string& definition) {
  return std::max({difference_in_f64<RnnInferenceOp>(text, RnnPass::inference, definition),
                   difference_in_f64<RnnForwardOp>(text, RnnPass::forward, definition),
                   difference_in_f64<RnnBackwardOp>(text, RnnPass::backward, definition)});
}

TEST(PytorchRnn, MatchesOurDefinition) {
  for (const std::string cell : {"lstm", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const char* sizes : {"T1 N1 C1 ", "T4 N3 C5 K7 ", "T3 N2 C4 L3 bidirectional ", "T5 N4 C3 K2 unequal ",
                              "T6 N5 C4 L2 unequal bidirectional "}) {
      EXPECT_LT(difference_in_f64(sizes + cell, sizes + cell), 1e-12) << sizes << cell;
    }
  }
}

TEST(PytorchRnn, DiffersFromOurDefinitionOfAnotherCell) {
  EXPECT_GT(difference_in_f64("T4 N3 C5 K7 lbr-gru", "T4 N3 C5 K7 gru"), 1e-3);
  EXPECT_GT(difference_in_f64("T4 N3 C5 K7 rnn-tanh", "T4 N3 C5 K7 rnn-relu"), 1e-3);
}

template <Operation Op>
Checked checked_rnn(const Contender<Op>& contender, const char* text) {
  const auto p = parse_problem<RnnProblem>(text);
  return check(contender, p, make_checkable_test_data<Op>(p, Fill::floats), {.threads = 2});
}

TEST(PytorchRnn, PassesTheChecksOfAContender) {
  for (const char* text :
       {"T5 N6 C32 K48 lstm", "T4 N5 C33 K17 L2 bidirectional lbr-gru", "T6 N7 C16 unequal rnn-tanh"}) {
    EXPECT_EQ(checked_rnn(pytorch::rnn_inference(), text).verdict.reason, "") << text;
    EXPECT_EQ(checked_rnn(pytorch::rnn_forward(), text).verdict.reason, "") << text;
    const Checked backward = checked_rnn(pytorch::rnn_backward(), text);
    EXPECT_EQ(backward.verdict.reason, "") << text;
    ASSERT_TRUE(backward.prepared);
    EXPECT_EQ(backward.prepared->implementation(), "eager");
    EXPECT_FALSE(backward.prepared->isa().empty());
  }
}

TEST(PytorchRnn, NamesWhatItLacks) {
  EXPECT_THAT(checked_rnn(pytorch::rnn_forward(), "T3 N2 C4 gru").verdict.reason,
              testing::HasSubstr("must be lbr-gru"));
  EXPECT_THAT(checked_rnn(pytorch::rnn_backward(), "T3 N2 C4 reverse").verdict.reason,
              testing::HasSubstr("only in reverse"));
}

}  // namespace
}  // namespace brickwork
