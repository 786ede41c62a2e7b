#include "baselines/rnn_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "baselines/testing/exact.hpp"

namespace brickwork {
namespace {

constexpr const char* kCells[] = {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"};
constexpr const char* kWays[] = {"forward", "reverse", "bidirectional"};
constexpr const char* kSizes[] = {"T1 N1 C1", "T3 N2 C5 K7", "T7 N5 C33 K17", "T4 N3 C64 K32", "T5 N32 C48 K64"};

// Checks that outputs are within the operation's bound.
template <Operation Op>
Verdict rnn_verdict(const Contender<Op>& contender, const std::string& text, int threads) {
  const auto p = parse_problem<RnnProblem>(text);
  return verdict_on(contender, p, make_checkable_test_data<Op>(p, Fill::floats), threads);
}

template <Operation Op>
void expect_right_rnn(const Contender<Op>& contender, const std::string& text) {
  for (const int threads : {1, 3}) {
    const Verdict verdict = rnn_verdict(contender, text, threads);
    EXPECT_EQ(verdict.status, Status::ok) << text << ": " << verdict.reason;
  }
}

template <Operation Op>
void expect_right_rnn(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  const auto expect_right = [&](const std::string& text) { expect_right_rnn(contender, text); };
  for (const std::string cell : kCells) {
    for (const std::string way : kWays) {
      for (const std::string sizes : kSizes) expect_right(sizes + " " + cell + " " + way);
      if (way == "bidirectional") continue;
      for (const std::string layers : {"L2", "L3"}) expect_right("T3 N2 C7 " + layers + " " + cell + " " + way);
    }
  }
}

template <Operation Op>
void expect_lacks(const Contender<Op>& contender, const std::string& text, const char* reason) {
  const Verdict verdict = rnn_verdict(contender, text, 1);
  EXPECT_EQ(verdict.status, Status::unsupported) << text;
  EXPECT_THAT(verdict.reason, testing::HasSubstr(reason));
}

template <Operation Op>
void expect_right_openblas(const Contender<Op>& contender) {
  expect_right_rnn(contender);
  if (!contender.library.absent.empty()) return;
  for (const std::string cell : kCells) expect_right_rnn(contender, "T3 N4 C5 K7 L3 bidirectional " + cell);
  expect_lacks(contender, "T3 N2 C4 unequal", "none may end early");
}

TEST(RnnBaselines, OpenblasInferenceIsRight) { expect_right_openblas(openblas_rnn_inference()); }
TEST(RnnBaselines, OpenblasForwardIsRight) { expect_right_openblas(openblas_rnn_forward()); }
TEST(RnnBaselines, OpenblasBackwardIsRight) { expect_right_openblas(openblas_rnn_backward()); }
TEST(RnnBaselines, OpenblasBackwardDataIsRight) { expect_right_openblas(openblas_rnn_backward_data()); }
TEST(RnnBaselines, OpenblasWeightUpdateIsRight) { expect_right_openblas(openblas_rnn_weight_update()); }

// Includes sizes for LIBXSMM's loops: one block and several, blocks of 64, of a multiple of 16 and of odd sizes, and
// its sums in parts.
template <Operation Op>
void expect_right_libxsmm(const Contender<Op>& contender, std::initializer_list<std::string> cells) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const std::string& cell : cells) {
    for (const std::string sizes : kSizes) expect_right_rnn(contender, sizes + " " + cell);
    for (const std::string sizes : {"T3 N6 C128", "T2 N67 C96 K32", "T30 N12 C64", "T1 N2 C4 K1088"}) {
      expect_right_rnn(contender, sizes + " " + cell);
    }
  }
}

TEST(RnnBaselines, LibxsmmInferenceIsRight) {
  expect_right_libxsmm(libxsmm_dnn_rnn_inference(), {"lstm", "gru", "rnn-tanh", "rnn-relu"});
}
TEST(RnnBaselines, LibxsmmForwardIsRight) {
  expect_right_libxsmm(libxsmm_dnn_rnn_forward(), {"lstm", "gru", "rnn-tanh", "rnn-relu"});
}
TEST(RnnBaselines, LibxsmmBackwardIsRight) { expect_right_libxsmm(libxsmm_dnn_rnn_backward(), {"lstm"}); }
TEST(RnnBaselines, LibxsmmBackwardDataIsRight) { expect_right_libxsmm(libxsmm_dnn_rnn_backward_data(), {"lstm"}); }
TEST(RnnBaselines, LibxsmmWeightUpdateIsRight) { expect_right_libxsmm(libxsmm_dnn_rnn_weight_update(), {"lstm"}); }

// A problem that the contender does not refuse must be right.
template <Operation Op>
void expect_right_on_random_problems(const Contender<Op>& contender) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  EXPECT_TRUE(rc::check([&] {
    const auto in = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); };
    RnnProblem p{.T = in(1, 6), .N = in(1, 40), .C = in(1, 130), .K = in(1, 130)};
    p.cell = *rc::gen::element(RnnCell::lstm, RnnCell::gru, RnnCell::rnn_tanh, RnnCell::rnn_relu);
    if (*rc::gen::arbitrary<bool>()) p.K = (p.K + 15) / 16 * 16;
    const TestData data = make_test_data<Op>(p, Fill::floats, to_string(p));
    RC_PRE(!has_output_of_zeros(data.expected));
    const Verdict verdict = verdict_on(contender, p, data, static_cast<int>(in(1, 4)));
    if (verdict.status != Status::unsupported && verdict.status != Status::ok) {
      RC_FAIL(to_string(p) + ": " + verdict.reason);
    }
  }));
}

TEST(RnnBaselines, LibxsmmForwardIsRightOnRandomProblems) {
  expect_right_on_random_problems(libxsmm_dnn_rnn_forward());
}
TEST(RnnBaselines, LibxsmmBackwardIsRightOnRandomProblems) {
  expect_right_on_random_problems(libxsmm_dnn_rnn_backward());
}
TEST(RnnBaselines, LibxsmmBackwardDataIsRightOnRandomProblems) {
  expect_right_on_random_problems(libxsmm_dnn_rnn_backward_data());
}
TEST(RnnBaselines, LibxsmmWeightUpdateIsRightOnRandomProblems) {
  expect_right_on_random_problems(libxsmm_dnn_rnn_weight_update());
}

TEST(RnnBaselines, LibxsmmNamesWhatItLacks) {
  if (!libxsmm_dnn_rnn_forward().library.absent.empty()) GTEST_SKIP() << libxsmm_dnn_rnn_forward().library.absent;
  expect_lacks(libxsmm_dnn_rnn_inference(), "T3 N2 C4 L2", "one layer");
  expect_lacks(libxsmm_dnn_rnn_forward(), "T3 N2 C4 reverse", "forward in time");
  expect_lacks(libxsmm_dnn_rnn_backward(), "T3 N2 C4 bidirectional", "forward in time");
  expect_lacks(libxsmm_dnn_rnn_backward_data(), "T3 N2 C4 unequal", "unequal length");
  expect_lacks(libxsmm_dnn_rnn_weight_update(), "T3 N2 C4 lbr-gru", "cell must be gru");
  expect_lacks(libxsmm_dnn_rnn_forward(), "T1 N1 C1 K1031", "1024 pointers");
  expect_lacks(libxsmm_dnn_rnn_backward(), "T2 N2 C4 gru", "swaps h and r h");
  expect_lacks(libxsmm_dnn_rnn_weight_update(), "T2 N2 C4 gru", "swaps h and r h");
  expect_lacks(libxsmm_dnn_rnn_backward_data(), "T1 N1 C4 K1088 gru", "leaves out the rest");
  expect_lacks(libxsmm_dnn_rnn_backward(), "T2 N2 C4 rnn-tanh", "no gradient of h0");
  expect_lacks(libxsmm_dnn_rnn_backward_data(), "T2 N2 C4 rnn-relu", "no gradient of h0");
  expect_lacks(libxsmm_dnn_rnn_weight_update(), "T1 N2 C4 K16 rnn-tanh", "if T is 1");
  expect_lacks(libxsmm_dnn_rnn_weight_update(), "T2 N2 C4 K17 rnn-tanh", "a multiple of 16");
  const auto prepared = [](const char* text) {
    return prepare(libxsmm_dnn_rnn_forward(), parse_problem<RnnProblem>(text), {}, {1}).reason();
  };
  EXPECT_THAT(prepared("T100000 N1024 C64"), testing::HasSubstr("below 2^31"));
  EXPECT_THAT(prepared("T1 N1 C2112 rnn-tanh"), testing::HasSubstr("leave out an odd one"));
}

TEST(RnnBaselines, OnednnInferenceIsRight) { expect_right_rnn(onednn_rnn_inference()); }
TEST(RnnBaselines, OnednnForwardIsRight) { expect_right_rnn(onednn_rnn_forward()); }
TEST(RnnBaselines, OnednnBackwardIsRight) { expect_right_rnn(onednn_rnn_backward()); }

// Long sums and many steps: the bound must not be too narrow, and must not widen with their number.
TEST(RnnBaselines, OnednnIsRightForManySteps) {
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

TEST(RnnBaselines, OnednnNamesWhatItLacks) {
  if (!onednn_rnn_forward().library.absent.empty()) GTEST_SKIP() << onednn_rnn_forward().library.absent;
  expect_lacks(onednn_rnn_forward(), "T3 N2 C4 unequal", "unequal length");
  expect_lacks(onednn_rnn_backward(), "T3 N2 C4 K5 L2", "C must be K");
  expect_lacks(onednn_rnn_forward(), "T3 N2 C8 K4 L2 bidirectional", "bidirectional layer");
  expect_lacks(onednn_rnn_backward_data(), "T3 N2 C4", "all gradients");
  expect_lacks(onednn_rnn_weight_update(), "T3 N2 C4", "all gradients");
}

// The comparison must notice a contender of another cell, and one that runs in the wrong direction.
TEST(RnnBaselines, AWrongCellIsNoticed) {
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

// It must also notice a contender that mixes up the gates.
TEST(RnnBaselines, AWrongOrderOfGatesIsNoticed) {
  auto wrong = openblas_rnn_backward();
  if (!wrong.library.absent.empty()) GTEST_SKIP() << wrong.library.absent;
  const auto prepare = wrong.prepare;
  PlainTensors swapped;
  wrong.prepare = [&](const RnnProblem& p, const PlainTensors& in, const Resources& r) {
    swapped = PlainTensors(in.infos());
    for (std::size_t i = 0; i < in.infos().size(); ++i) {
      if (in.infos()[i].size() == 0) continue;
      std::ranges::copy(in.values<float>(i), swapped.values<float>(i).begin());
    }
    float* const weights = swapped.at<float>("weights_layer.0");
    for (std::int64_t c = 0; c < p.C; ++c) {
      float* const gates = weights + c * p.gates() * p.K;
      std::swap_ranges(gates + p.K, gates + 2 * p.K, gates + 2 * p.K);
    }
    return prepare(p, swapped, r);
  };
  for (const char* cell : {"T3 N2 C4 lstm", "T3 N2 C4 gru", "T3 N2 C4 lbr-gru"}) {
    EXPECT_THAT(rnn_verdict(wrong, cell, 1).reason, testing::HasSubstr("are wrong")) << cell;
  }
}

}  // namespace
}  // namespace brickwork
