#include "rnn_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/exact.hpp"

namespace brickwork {
namespace {

constexpr const char* kCells[] = {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"};
constexpr const char* kWays[] = {"forward", "reverse", "bidirectional"};
constexpr const char* kSizes[] = {"T1 N1 C1", "T3 N2 C5 K7", "T7 N5 C33 K17", "T4 N3 C64 K32", "T5 N32 C48 K64"};

// Within the operation's bound.
template <Operation Op>
Verdict rnn_verdict(const Contender<Op>& contender, const std::string& text, int threads) {
  const auto p = parse_problem<RnnProblem>(text);
  return verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::floats), threads);
}

template <Operation Op>
void expect_right_rnn(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  const auto expect_right = [&](const std::string& text) {
    for (const int threads : {1, 3}) {
      const Verdict verdict = rnn_verdict(contender, text, threads);
      EXPECT_EQ(verdict.status, Status::ok) << text << ": " << verdict.reason;
    }
  };
  for (const std::string cell : kCells) {
    for (const std::string way : kWays) {
      for (const std::string sizes : kSizes) expect_right(sizes + " " + cell + " " + way);
      if (way == "bidirectional") continue;
      for (const std::string layers : {"L2", "L3"}) expect_right("T3 N2 C7 " + layers + " " + cell + " " + way);
    }
  }
}

TEST(RnnBaselines, OpenblasInference) {
  const auto contender = openblas_rnn_inference();
  expect_right_rnn(contender);
  if (!contender.library.absent.empty()) return;
  for (const std::string cell : kCells) {
    EXPECT_EQ(rnn_verdict(contender, "T3 N4 C5 K7 L3 bidirectional " + cell, 2).reason, "");
  }
  EXPECT_EQ(rnn_verdict(contender, "T3 N2 C4 unequal", 1).status, Status::unsupported);
}
TEST(RnnBaselines, OnednnInference) { expect_right_rnn(onednn_rnn_inference()); }
TEST(RnnBaselines, OnednnForward) { expect_right_rnn(onednn_rnn_forward()); }
TEST(RnnBaselines, OnednnBackward) { expect_right_rnn(onednn_rnn_backward()); }

// Long sums and many steps, of which the bound must not be too narrow, and that more of the same must not widen.
TEST(RnnBaselines, OnednnOfManySteps) {
  if (!onednn_rnn_forward().library.absent.empty()) GTEST_SKIP() << onednn_rnn_forward().library.absent;
  for (const std::string cell : kCells) {
    for (const std::string sizes : {"T100 N12 C64 ", "T5 N168 C256 "}) {
      const Verdict forward = rnn_verdict(onednn_rnn_forward(), sizes + cell, 2);
      const Verdict backward = rnn_verdict(onednn_rnn_backward(), sizes + cell, 2);
      EXPECT_EQ(forward.status, Status::ok) << cell << ": " << forward.reason;
      EXPECT_EQ(backward.status, Status::ok) << cell << ": " << backward.reason;
    }
  }
}

TEST(RnnBaselines, OnednnSaysWhatItLacks) {
  if (!onednn_rnn_forward().library.absent.empty()) GTEST_SKIP() << onednn_rnn_forward().library.absent;
  const auto expect_lacks = [](const auto& contender, const char* text, const char* reason) {
    const Verdict verdict = rnn_verdict(contender, text, 1);
    EXPECT_EQ(verdict.status, Status::unsupported) << text;
    EXPECT_THAT(verdict.reason, testing::HasSubstr(reason));
  };
  expect_lacks(onednn_rnn_forward(), "T3 N2 C4 unequal", "unequal length");
  expect_lacks(onednn_rnn_backward(), "T3 N2 C4 K5 L2", "C must be K");
  expect_lacks(onednn_rnn_forward(), "T3 N2 C8 K4 L2 bidirectional", "bidirectional layer");
  expect_lacks(onednn_rnn_backward_data(), "T3 N2 C4", "all gradients");
  expect_lacks(onednn_rnn_weight_update(), "T3 N2 C4", "all gradients");
}

// The comparison must see a contender of another cell, and one that runs the wrong way.
TEST(RnnBaselines, AWrongCellIsSeen) {
  auto wrong = onednn_rnn_forward();
  if (!wrong.library.absent.empty()) GTEST_SKIP() << wrong.library.absent;
  const auto prepare = wrong.prepare;
  const auto expect_seen = [&](const char* text, const auto& change) {
    wrong.prepare = [=](RnnProblem p, const PlainTensors& in, const Resources& r) {
      change(p);
      return prepare(p, in, r);
    };
    EXPECT_THAT(rnn_verdict(wrong, text, 1).reason, testing::HasSubstr("outputs in y are wrong")) << text;
  };
  expect_seen("T3 N2 C4 rnn-tanh", [](RnnProblem& p) { p.cell = RnnCell::rnn_relu; });
  expect_seen("T3 N2 C4 lstm", [](RnnProblem& p) { p.direction = RnnDirection::reverse; });
}

}  // namespace
}  // namespace brickwork
