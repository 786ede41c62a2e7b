#include "primitives/rnn/op/rnn_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "primitives/op/defined.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using Values = std::vector<double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

RnnProblem rnn(const std::string& text) { return parse_problem<RnnProblem>(text); }

template <Operation Op>
PlainTensors outputs_of(const RnnProblem& p, const PlainTensors& in) {
  PlainTensors out(with_dtype(Op::outputs(p), DType::f64));
  poison(out);
  Op::reference(p, in, out);
  return out;
}

PlainTensors random_rnn_inputs(const RnnProblem& p) {
  PlainTensors in(with_dtype(RnnBackwardOp::inputs(p), DType::f64));
  TestValues values(Fill::floats, 1, to_string(p));
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  RnnOp::settle(p, in);
  return in;
}

TEST(RnnProblem, ReadsItsText) {
  const auto p = rnn("T5 N3 C7 K4 L2 lbr-gru bidirectional unequal");
  EXPECT_EQ(to_string(p), "T5_N3_C7_K4_L2_lbr-gru_bidirectional_unequal");
  EXPECT_EQ(rnn(to_string(p)), p);
  EXPECT_EQ(to_string(rnn("T5 N3 C7")), "T5_N3_C7_K7_L1");
  EXPECT_EQ(p.features(0), 7);
  EXPECT_EQ(p.features(1), 8);
  EXPECT_EQ(p.biases(), 4);
}

TEST(RnnProblem, RefusesWrongText) {
  EXPECT_THAT(error_of<RnnProblem>("T5 C7 peephole"), HasSubstr("a cell: lstm, gru, lbr-gru, rnn-tanh or rnn-relu"));
  EXPECT_THAT(error_of<RnnProblem>("T5 C7 sideways"), HasSubstr("a direction: forward, reverse or bidirectional"));
  EXPECT_THAT(error_of<RnnProblem>("C7"), HasSubstr("lacks T"));
  EXPECT_THAT(error_of<RnnProblem>("T0 C7"), HasSubstr("T is 0"));
  EXPECT_THAT(error_of<RnnProblem>("T5 C7 L0"), HasSubstr("L is 0"));
  EXPECT_THAT(error_of<RnnProblem>("T5 C7 L1001"), HasSubstr("at most 1000 layers"));
  EXPECT_THAT(error_of<RnnProblem>("T1048576 N1048576 C2"), HasSubstr("at most 2^40"));
}

TEST(RnnProblem, LengthsAreFromOneToT) {
  const auto p = rnn("T3 N2 C1 unequal");
  const auto refusal = [&](const Values& lengths) -> std::string {
    PlainTensors in = random_rnn_inputs(p);
    std::ranges::copy(lengths, in.at<double>("lengths"));
    try {
      outputs_of<RnnForwardOp>(p, in);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({3, 1}), "");
  EXPECT_EQ(refusal({3, 0}), "sequence 1 is 0 steps long: each must be from 1 to T = 3");
  EXPECT_THAT(refusal({4, 1}), HasSubstr("sequence 0 is 4 steps long"));
}

// 16 N T K^2: the literature's count for an LSTM with K = C.
TEST(RnnProblem, CountsOperations) {
  const auto p = rnn("T50 N168 C256");
  EXPECT_EQ(RnnForwardOp::flops(p), 16.0 * 50 * 168 * 256 * 256);
  EXPECT_EQ(RnnBackwardOp::flops(p), RnnBackwardDataOp::flops(p) + RnnWeightUpdateOp::flops(p));
  EXPECT_EQ(rnn("T2 N3 C5 K7 L2 gru bidirectional").flops(), 2.0 * 2 * 3 * 2 * 3 * 7 * ((5 + 7) + (14 + 7)));
}

// Two steps of one feature and one state, with x = 1 and 2, forward and in reverse.
struct TinyCell {
  const char* cell;
  Values W, U, bias;
  double h0, c0;
  std::function<void(double x, double& h, double& c)> step;
};

void expect_tiny(const TinyCell& tiny, const char* direction, const Values& x) {
  const auto p = rnn(std::string("T2 N1 C1 ") + tiny.cell + " " + direction);
  Defined<RnnForwardOp> forward(p);
  forward.with("x", x).with("h0", Values{tiny.h0}).with("weights_layer.0", tiny.W);
  forward.with("weights_iter.0", tiny.U).with("bias.0", tiny.bias);
  if (p.has_c()) forward.with("c0", Values{tiny.c0});
  forward.run();
  const bool reverse = p.reversed(0);
  double h = tiny.h0, c = tiny.c0;
  tiny.step(x[reverse ? 1 : 0], h, c);
  const double first = h;
  tiny.step(x[reverse ? 0 : 1], h, c);
  const auto near = [](double value) { return DoubleNear(value, 1e-14); };
  EXPECT_THAT(forward["y"], ElementsAre(near(reverse ? h : first), near(reverse ? first : h))) << tiny.cell;
  EXPECT_THAT(forward["hT"], ElementsAre(near(h)));
  if (p.has_c()) {
    EXPECT_THAT(forward["cT"], ElementsAre(near(c)));
  }
}

TEST(RnnDefinition, FollowsTheFormulaOfEachCell) {
  const std::vector<TinyCell> cells{
      {"lstm",
       {0.1, 0.2, 0.3, 0.4},
       {0.5, -0.6, 0.7, -0.8},
       {0.01, 0.02, 0.03, 0.04},
       0.5,
       -0.25,
       [](double x, double& h, double& c) {
         const double i = sigmoid(0.1 * x + 0.5 * h + 0.01), f = sigmoid(0.2 * x - 0.6 * h + 0.02);
         const double g = std::tanh(0.3 * x + 0.7 * h + 0.03), o = sigmoid(0.4 * x - 0.8 * h + 0.04);
         c = f * c + i * g;
         h = o * std::tanh(c);
       }},
      {"gru",
       {0.1, 0.2, 0.3},
       {0.5, -0.6, 0.7},
       {0.01, 0.02, 0.03},
       0.5,
       0,
       [](double x, double& h, double&) {
         const double u = sigmoid(0.1 * x + 0.5 * h + 0.01), r = sigmoid(0.2 * x - 0.6 * h + 0.02);
         h = u * h + (1 - u) * std::tanh(0.3 * x + 0.7 * r * h + 0.03);
       }},
      {"lbr-gru",
       {0.1, 0.2, 0.3},
       {0.5, -0.6, 0.7},
       {0.01, 0.02, 0.03, 0.4},
       0.5,
       0,
       [](double x, double& h, double&) {
         const double u = sigmoid(0.1 * x + 0.5 * h + 0.01), r = sigmoid(0.2 * x - 0.6 * h + 0.02);
         h = u * h + (1 - u) * std::tanh(0.3 * x + 0.03 + r * (0.7 * h + 0.4));
       }},
      {"rnn-tanh",
       {0.3},
       {0.7},
       {-0.1},
       0.5,
       0,
       [](double x, double& h, double&) { h = std::tanh(0.3 * x + 0.7 * h - 0.1); }},
      {"rnn-relu", {-0.3}, {0.7}, {0.4}, 0.5, 0, [](double x, double& h, double&) {
         h = std::max(0.0, -0.3 * x + 0.7 * h + 0.4);
       }}};
  for (const TinyCell& tiny : cells) {
    for (const char* direction : {"forward", "reverse"}) expect_tiny(tiny, direction, {1, 2});
  }
}

TEST(RnnDefinition, EachSequenceEndsAtItsOwnLength) {
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    const auto p = rnn(std::string("T5 N3 C2 K3 L2 bidirectional unequal ") + cell);
    PlainTensors in = random_rnn_inputs(p);
    const Values lengths{3, 5, 1};
    std::ranges::copy(lengths, in.at<double>("lengths"));
    const PlainTensors out = outputs_of<RnnForwardOp>(p, in), gradients = outputs_of<RnnBackwardOp>(p, in);
    for (std::int64_t n = 0; n < p.N; ++n) {
      auto alone = p;
      alone.N = 1;
      alone.T = static_cast<std::int64_t>(lengths[static_cast<std::size_t>(n)]);
      alone.lengths = SequenceLengths::equal;
      PlainTensors one(with_dtype(RnnBackwardOp::inputs(alone), DType::f64));
      for (std::size_t i = 0; i < one.infos().size(); ++i) {
        const TensorInfo& info = one.infos()[i];
        if (info.size() == 0) continue;
        const double* const from = in.at<double>(info.name);
        const std::int64_t row = info.per_image ? info.dims[2] : info.size();
        for (std::int64_t r = 0; r < info.size() / row; ++r) {
          std::copy_n(from + (info.per_image ? r * p.N + n : r) * row, row, one.values<double>(i).data() + r * row);
        }
      }
      const auto expect_same = [&](const PlainTensors& all, const PlainTensors& of_one) {
        for (std::size_t i = 0; i < of_one.infos().size(); ++i) {
          const TensorInfo& info = of_one.infos()[i];
          if (!info.per_image || info.size() == 0) continue;
          const std::int64_t row = info.dims[2], rows = all.infos()[i].dims[0];
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t k = 0; k < row; ++k) {
              const double right =
                  r < info.dims[0] ? of_one.values<double>(i)[static_cast<std::size_t>(r * row + k)] : 0;
              EXPECT_NEAR(all.values<double>(i)[static_cast<std::size_t>((r * p.N + n) * row + k)], right, 1e-14)
                  << cell << " " << info.name << " " << n << " " << r;
            }
          }
        }
      };
      expect_same(out, outputs_of<RnnForwardOp>(alone, one));
      expect_same(gradients, outputs_of<RnnBackwardOp>(alone, one));
    }
  }
}

// <dy, y> + <dhT, hT> + <dcT, cT>.
double loss_of(const RnnProblem& p, const PlainTensors& in) {
  const PlainTensors out = outputs_of<RnnForwardOp>(p, in);
  double loss = 0;
  for (std::size_t i = 0; i < out.infos().size(); ++i) {
    if (out.infos()[i].size() == 0) continue;
    const double* const weight = in.at<double>("d" + out.infos()[i].name);
    const auto values = out.values<double>(i);
    for (std::size_t j = 0; j < values.size(); ++j) loss += weight[j] * values[j];
  }
  return loss;
}

void expect_gradients(const RnnProblem& p) {
  PlainTensors in = random_rnn_inputs(p);
  const PlainTensors gradients = outputs_of<RnnBackwardOp>(p, in);
  constexpr double kStep = 1e-5;
  const double here = loss_of(p, in);
  int smooth = 0, tried = 0;
  for (std::size_t g = 0; g < gradients.infos().size(); ++g) {
    const std::string& name = gradients.infos()[g].name;
    const std::string of = name.starts_with("d") ? name.substr(1) : name.substr(0, name.rfind('.'));
    const std::int64_t size = gradients.infos()[g].size();
    for (std::int64_t j = 0; j < size; j += 1 + size / 7) {
      double& x = in.at<double>(of)[j];
      const double was = x;
      x = was + kStep;
      const double above = loss_of(p, in) - here;
      x = was - kStep;
      const double below = here - loss_of(p, in);
      x = was;
      ++tried;
      if (std::abs(above - below) > 1e-8) continue;  // at the kink of a ReLU
      ++smooth;
      const double found = gradients.values<double>(g)[static_cast<std::size_t>(j)];
      EXPECT_NEAR(found, (above + below) / (2 * kStep), 1e-7 * std::max(1.0, std::abs(found)))
          << to_string(p) << " " << name << " " << j;
    }
  }
  EXPECT_GT(smooth, tried * 9 / 10) << to_string(p);
}

TEST(RnnDefinition, GradientsEqualFiniteDifferences) {
  for (const std::string cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const std::string sizes : {"T1 N1 C1", "T4 N2 C3 K2", "T3 N3 C2 K5 L2", "T5 N2 C4 K3 L3 unequal"}) {
      for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
        expect_gradients(rnn(sizes + " " + cell + " " + direction));
      }
    }
  }
}

TEST(RnnDefinition, SeparatePassesEqualTheWholeBackwardPass) {
  const auto p = rnn("T3 N2 C3 K4 L2 lbr-gru bidirectional");
  const PlainTensors in = random_rnn_inputs(p), all = outputs_of<RnnBackwardOp>(p, in);
  const auto expect_part = [&](const PlainTensors& part) {
    for (std::size_t i = 0; i < part.infos().size(); ++i) {
      const auto values = part.values<double>(i);
      if (values.empty()) continue;
      EXPECT_TRUE(std::equal(values.begin(), values.end(), all.at<double>(part.infos()[i].name)));
    }
  };
  expect_part(outputs_of<RnnBackwardDataOp>(p, in));
  expect_part(outputs_of<RnnWeightUpdateOp>(p, in));
}

TEST(RnnDefinition, NanSpreads) {
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    const auto p = rnn(std::string("T3 N2 C2 K2 ") + cell);
    PlainTensors in = random_rnn_inputs(p);
    in.at<double>("x")[1 * p.N * p.C] = NAN;  // step 1 of sequence 0
    const PlainTensors out = outputs_of<RnnForwardOp>(p, in);
    const double* const y = out.at<double>("y");
    const auto is_nan = [&](std::int64_t t, std::int64_t n) { return std::isnan(y[(t * p.N + n) * p.K]); };
    EXPECT_TRUE(!is_nan(0, 0) && is_nan(1, 0) && is_nan(2, 0)) << cell;
    EXPECT_TRUE(!is_nan(1, 1) && !is_nan(2, 1)) << cell;
  }
}

// The verdict on a contender that computes the operation after `wrong` has changed its inputs.
template <Operation Op>
Verdict verdict_on_wrong(const RnnProblem& p, const std::function<void(PlainTensors&)>& wrong) {
  const TestData data = make_checkable_test_data<Op>(p, Fill::floats);
  PlainTensors in(with_dtype(Op::inputs(p), DType::f64));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    const auto to = in.values<double>(i);
    if (data.inputs.infos()[i].dtype == DType::i32) {
      std::ranges::copy(data.inputs.values<std::int32_t>(i), to.begin());
    } else {
      std::ranges::copy(data.inputs.values<float>(i), to.begin());
    }
  }
  wrong(in);
  return compare(outputs_of<Op>(p, in), data.expected, data.tolerance);
}

void swap_gates(const RnnProblem& p, PlainTensors& in) {
  for (const char* name : {"weights_layer.0", "weights_iter.0"}) {
    double* const weights = in.at<double>(name);
    const std::int64_t rows = name == std::string("weights_iter.0") ? p.K : p.C;
    for (std::int64_t row = 0; row < rows; ++row) {
      double* const gates = weights + row * p.gates() * p.K;
      std::swap_ranges(gates, gates + p.K, gates + p.K);
    }
  }
}

// Rotates a tensor [D][..][K] or [T][N][..] along its first dimension.
void shift_steps(const RnnProblem& p, PlainTensors& in) {
  double* const x = in.at<double>("x");
  std::rotate(x, x + p.N * p.C, x + p.T * p.N * p.C);
}

template <Operation Op>
void expect_wrong_cells_fail(const std::string& cell, const std::string& sizes) {
  const auto p = rnn(sizes + " " + cell);
  EXPECT_EQ(verdict_on_wrong<Op>(p, [](PlainTensors&) {}).status, Status::ok) << to_string(p);
  const auto expect_failed = [&](const char* what, const std::function<void(PlainTensors&)>& wrong) {
    EXPECT_EQ(verdict_on_wrong<Op>(p, wrong).status, Status::failed) << to_string(p) << " " << what;
  };
  expect_failed("a step off by one", [&](PlainTensors& in) { shift_steps(p, in); });
  expect_failed("a sequence taken for another", [&](PlainTensors& in) {
    std::swap_ranges(in.at<double>("x"), in.at<double>("x") + p.C, in.at<double>("x") + p.C);
  });
  expect_failed("a forgotten state", [&](PlainTensors& in) { std::fill_n(in.at<double>("h0"), p.N * p.K, 0.0); });
  for (std::int64_t g = 0; g < p.biases(); ++g) {
    expect_failed("a forgotten bias",
                  [&](PlainTensors& in) { std::fill_n(in.at<double>("bias.0") + g * p.K, p.K, 0.0); });
  }
  if (p.gates() > 1) expect_failed("gates swapped", [&](PlainTensors& in) { swap_gates(p, in); });
  if (p.unequal())
    expect_failed("a length", [&](PlainTensors& in) {
      --*std::ranges::max_element(std::span(in.at<double>("lengths"), static_cast<std::size_t>(p.N)));
    });
}

TEST(RnnOps, AWrongCellFails) {
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    for (const char* sizes : {"T4 N4 C5 K6", "T6 N5 C3 K4 unequal"}) {
      expect_wrong_cells_fail<RnnForwardOp>(cell, sizes);
      expect_wrong_cells_fail<RnnBackwardOp>(cell, sizes);
    }
  }
}

// The definition runs on a few sequences; the repeated result must equal that for all sequences.
TEST(RnnOps, SequencesRepeatAndTheirSumsAreMultiples) {
  const auto p = rnn("T3 N12 C2 K3 L2 bidirectional unequal");
  const TestData data = make_checkable_test_data<RnnBackwardOp>(p, Fill::floats);
  EXPECT_EQ(data.expected.infos().front().dims, (std::vector<std::int64_t>{3, 3, 2}));
  EXPECT_EQ(verdict_on_wrong<RnnBackwardOp>(p, [](PlainTensors&) {}).status, Status::ok);
  const auto prime = make_checkable_test_data<RnnBackwardOp>(rnn("T3 N7 C2"), Fill::floats);
  EXPECT_EQ(prime.expected.infos().front().dims[1], 7);
}

// Over a thousand steps the largest state and gradient stay between 1e-3 and 1e4.
TEST(RnnOps, StatesNeitherVanishNorExplode) {
  for (const char* cell : {"lstm", "gru", "lbr-gru", "rnn-tanh", "rnn-relu"}) {
    const auto p = rnn(std::string("T1000 N3 C8 K16 ") + cell);
    const PlainTensors in = random_rnn_inputs(p);
    for (const PlainTensors& out : {outputs_of<RnnForwardOp>(p, in), outputs_of<RnnBackwardOp>(p, in)}) {
      for (std::size_t i = 0; i < out.infos().size(); ++i) {
        if (out.infos()[i].size() == 0) continue;
        double largest = 0;
        for (const double x : out.values<double>(i)) largest = std::max(largest, std::abs(x));
        EXPECT_GT(largest, 1e-3) << cell << " " << out.infos()[i].name;
        EXPECT_LT(largest, 1e4) << cell << " " << out.infos()[i].name;
      }
    }
  }
}

}  // namespace
}  // namespace brickwork
