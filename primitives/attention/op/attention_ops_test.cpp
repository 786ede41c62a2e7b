#include "primitives/attention/op/attention_ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "primitives/op/defined.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/definition.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

AttentionProblem attention(const std::string& text) { return parse_problem<AttentionProblem>(text); }

TEST(AttentionProblem, ReadsItsText) {
  const auto p = attention("T5 S7 N3 K4 scaled unequal");
  EXPECT_EQ(to_string(p), "T5_S7_N3_K4_scaled_unequal");
  EXPECT_EQ(attention(to_string(p)), p);
  EXPECT_EQ(to_string(attention("T5 K4")), "T5_S5_N1_K4");
  EXPECT_EQ(p.score_scale(), 0.5);
}

TEST(AttentionProblem, RefusesWrongText) {
  EXPECT_THAT(error_of<AttentionProblem>("T5 K7 additive"), HasSubstr("unscaled or scaled"));
  EXPECT_THAT(error_of<AttentionProblem>("K7"), HasSubstr("lacks T"));
  EXPECT_THAT(error_of<AttentionProblem>("T5 K7 S0"), HasSubstr("S is 0"));
  EXPECT_THAT(error_of<AttentionProblem>("T1048576 N1048576 K2"), HasSubstr("at most 2^40"));
}

TEST(AttentionProblem, CountsOperations) {
  const auto p = attention("T50 S40 N128 K1024");
  EXPECT_EQ(AttentionForwardOp::flops(p), 4.0 * 50 * 40 * 128 * 1024);
  EXPECT_EQ(AttentionBackwardOp::flops(p), 2 * AttentionForwardOp::flops(p));
}

// Scores are 0 and log(3); with a scale, keys are larger by its inverse.
TEST(AttentionDefinition, ContextIsTheWeightedMeanOfValues) {
  for (const auto& [text, factor] : {std::pair("T1 S2 K4", 1.0), std::pair("T1 S2 K4 scaled", 2.0)}) {
    Defined<AttentionForwardOp> forward(attention(text));
    forward.with("queries", {1, 2, 0, 0}).with("keys", {0, 0, 5, 5, factor * std::log(3.0), 0, 5, 5});
    forward.with("values", {1, 2, 3, 4, 5, 6, 7, 8}).run();
    const Values right{4, 5, 6, 7}, context = forward["context"], weights = forward["weights"];
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(context[i], right[i], 1e-14) << text;
    EXPECT_NEAR(weights[0], 0.25, 1e-14);
    EXPECT_NEAR(weights[1], 0.75, 1e-14);
  }
}

PlainTensors random_attention_inputs(const AttentionProblem& p) {
  PlainTensors in(with_dtype(AttentionBackwardOp::inputs(p), DType::f64));
  TestValues values(Fill::floats, 1, to_string(p));
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  AttentionOp::settle(p, in);
  return in;
}

template <Operation Op>
PlainTensors attention_outputs(const AttentionProblem& p, const PlainTensors& in) {
  PlainTensors out(with_dtype(Op::outputs(p), DType::f64));
  poison(out);
  Op::reference(p, in, out);
  return out;
}

double attention_loss(const AttentionProblem& p, const PlainTensors& in) {
  const PlainTensors out = attention_outputs<AttentionForwardOp>(p, in);
  const auto context = out.values<double>(0);
  return std::inner_product(context.begin(), context.end(), in.at<double>("dcontext"), 0.0);
}

TEST(AttentionDefinition, GradientsEqualFiniteDifferences) {
  for (const char* text : {"T1 S2 N1 K1", "T3 S4 N2 K3", "T4 S3 N2 K5 scaled", "T2 S5 N4 K2 unequal"}) {
    const auto p = attention(text);
    PlainTensors in = random_attention_inputs(p);
    const PlainTensors gradients = attention_outputs<AttentionBackwardOp>(p, in);
    for (const char* name : {"queries", "keys", "values"}) {
      const double* const gradient = gradients.at<double>(std::string("d") + name);
      double* const of = in.at<double>(name);
      for (std::int64_t i = 0; i < (name == std::string("queries") ? p.T : p.S) * p.N * p.K; ++i) {
        constexpr double kStep = 1e-5;
        const double was = of[i];
        of[i] = was + kStep;
        const double above = attention_loss(p, in);
        of[i] = was - kStep;
        const double below = attention_loss(p, in);
        of[i] = was;
        EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-8) << text << " d" << name << " " << i;
      }
    }
  }
}

TEST(AttentionDefinition, StepsAfterAnEndChangeNothing) {
  const auto p = attention("T3 S5 N2 K2 unequal");
  PlainTensors in = random_attention_inputs(p);
  in.at<double>("lengths")[0] = 3;
  in.at<double>("lengths")[1] = 5;
  const PlainTensors out = attention_outputs<AttentionForwardOp>(p, in);
  const PlainTensors gradients = attention_outputs<AttentionBackwardOp>(p, in);
  for (std::int64_t s = 3; s < p.S; ++s) {
    for (const char* name : {"keys", "values"}) std::fill_n(in.at<double>(name) + s * p.N * p.K, p.K, NAN);
  }
  const auto expect_same = [](const PlainTensors& a, const PlainTensors& b) {
    for (std::size_t i = 0; i < a.infos().size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(a.values<double>(i), b.values<double>(i))) << a.infos()[i].name;
    }
  };
  expect_same(attention_outputs<AttentionForwardOp>(p, in), out);
  expect_same(attention_outputs<AttentionBackwardOp>(p, in), gradients);
  EXPECT_EQ(out.at<double>("weights")[3], 0);
  EXPECT_NE(out.at<double>("weights")[p.T * p.S + 3], 0);
  EXPECT_EQ(gradients.at<double>("dkeys")[3 * p.N * p.K], 0);
}

TEST(AttentionDefinition, LengthsAreFromOneToS) {
  const auto p = attention("T2 S3 N2 K1 unequal");
  PlainTensors in = random_attention_inputs(p);
  const auto error_of_length = [&](double length) -> std::string {
    in.at<double>("lengths")[1] = length;
    try {
      attention_outputs<AttentionForwardOp>(p, in);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error_of_length(3), "");
  EXPECT_EQ(error_of_length(0), "sequence 1 is 0 steps long: each must be from 1 to S = 3");
  EXPECT_THAT(error_of_length(4), HasSubstr("sequence 1 is 4 steps long"));
}

TEST(AttentionDefinition, NanSpreads) {
  const auto p = attention("T3 S2 N2 K2");
  for (const char* name : {"keys", "values"}) {
    PlainTensors in = random_attention_inputs(p);
    in.at<double>(name)[p.K] = NAN;  // feature 0 of sequence 1
    const PlainTensors out = attention_outputs<AttentionForwardOp>(p, in);
    for (std::int64_t t = 0; t < p.T; ++t) {
      EXPECT_FALSE(std::isnan(out.at<double>("context")[t * p.N * p.K]));
      EXPECT_TRUE(std::isnan(out.at<double>("context")[(t * p.N + 1) * p.K]));
    }
  }
}

// The verdict on a contender that computes problem `other` on inputs changed by `wrong`.
template <Operation Op>
Verdict verdict_on_other(const AttentionProblem& p, AttentionProblem other,
                         const std::function<void(PlainTensors&)>& wrong) {
  const TestData data = make_checkable_test_data<Op>(p, Fill::floats);
  PlainTensors in(with_dtype(Op::inputs(other), DType::f64));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    const auto to = in.values<double>(i);
    if (to.empty()) continue;
    if (data.inputs.infos()[i].dtype == DType::i32) {
      std::ranges::copy(data.inputs.values<std::int32_t>(i), to.begin());
    } else {
      std::ranges::copy(data.inputs.values<float>(i), to.begin());
    }
  }
  wrong(in);
  return compare(attention_outputs<Op>(other, in), data.expected, data.tolerance);
}

template <Operation Op>
void expect_wrong_attention_fails() {
  const auto p = attention("T4 S5 N4 K6 scaled unequal");
  const auto nothing = [](PlainTensors&) {};
  EXPECT_EQ(verdict_on_other<Op>(p, p, nothing).status, Status::ok);
  auto unscaled = p, equal = p;
  unscaled.scale = AttentionScale::unscaled;
  equal.lengths = SequenceLengths::equal;
  EXPECT_EQ(verdict_on_other<Op>(p, unscaled, nothing).status, Status::failed);
  EXPECT_EQ(verdict_on_other<Op>(p, equal, nothing).status, Status::failed);
  const auto expect_failed = [&](const char* what, const std::function<void(PlainTensors&)>& wrong) {
    EXPECT_EQ(verdict_on_other<Op>(p, p, wrong).status, Status::failed) << what;
  };
  expect_failed("a length", [&](PlainTensors& in) {
    double* const lengths = in.at<double>("lengths");
    --*std::max_element(lengths, lengths + p.N);
  });
  expect_failed("keys for values", [&](PlainTensors& in) {
    std::swap_ranges(in.at<double>("keys"), in.at<double>("keys") + p.S * p.N * p.K, in.at<double>("values"));
  });
  expect_failed("a sequence for another", [&](PlainTensors& in) {
    std::swap_ranges(in.at<double>("queries"), in.at<double>("queries") + p.K, in.at<double>("queries") + p.K);
  });
}

TEST(AttentionOps, WrongAttentionFails) {
  expect_wrong_attention_fails<AttentionForwardOp>();
  expect_wrong_attention_fails<AttentionBackwardOp>();
}

}  // namespace
}  // namespace brickwork
