#include "primitives/gnmt/op/gnmt_op.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "primitives/attention/op/attention_ops.hpp"
#include "primitives/op/test_data.hpp"
#include "primitives/op/testing/definition.hpp"
#include "primitives/op/testing/error_of.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

GnmtProblem gnmt(const std::string& text) { return parse_problem<GnmtProblem>(text); }

TEST(GnmtProblem, ReadsItsText) {
  const auto p = gnmt("T5 S7 N3 K4 unequal inference");
  EXPECT_EQ(to_string(p), "T5_S7_N3_K4_unequal_inference");
  EXPECT_EQ(gnmt(to_string(p)), p);
  EXPECT_EQ(to_string(gnmt("T5 K4")), "T5_S5_N1_K4");
  EXPECT_THAT(error_of<GnmtProblem>("T5 K7 backward"), HasSubstr("a part: step or inference"));
  EXPECT_THAT(error_of<GnmtProblem>("K7"), HasSubstr("lacks T"));
  EXPECT_THAT(error_of<GnmtProblem>("T1048576 N1048576 K2"), HasSubstr("at most 2^40"));
}

// A layer does 8 K^2 operations per word and direction for its state, and for each K features that it reads.
TEST(GnmtProblem, HasItsLayersAndCountsOperations) {
  const auto p = gnmt("T3 S2 N4 K5 inference");
  const auto layers = gnmt_layers(p);
  std::vector<std::string> names;
  for (const auto& layer : layers) names.push_back(layer.name + (layer.residual ? "+" : ""));
  EXPECT_THAT(names, testing::ElementsAre("encoder.1", "encoder.2", "encoder.3+", "encoder.4+", "decoder.1",
                                          "decoder.2", "decoder.3+", "decoder.4+"));
  EXPECT_EQ(layers[0].rnn.D(), 2);
  EXPECT_EQ(layers[1].rnn.C, 10);
  EXPECT_EQ(layers[4].rnn.C, 5);
  EXPECT_EQ(layers[7].rnn.C, 10);
  const double forward = 8.0 * 25 * 4 * (2 * (4 + 3 + 2 + 2) + 3 * (2 + 3 + 3 + 3));
  const double products = AttentionForwardOp::flops(p.attention());
  EXPECT_EQ(GnmtOp::flops(p), forward + products);
  EXPECT_EQ(GnmtOp::flops(gnmt("T3 S2 N4 K5 step")), 3 * (forward + products));
}

PlainTensors random_gnmt_inputs(const GnmtProblem& p) {
  PlainTensors in(with_dtype(GnmtOp::inputs(p), DType::f64));
  TestValues values(Fill::floats, 1, to_string(p));
  for (std::size_t i = 0; i < in.infos().size(); ++i) values.fill(in.values<double>(i));
  GnmtOp::settle(p, in);
  return in;
}

PlainTensors gnmt_outputs(const GnmtProblem& p, const PlainTensors& in) {
  PlainTensors out(with_dtype(GnmtOp::outputs(p), DType::f64));
  poison(out);
  GnmtOp::reference(p, in, out);
  return out;
}

double gnmt_loss(GnmtProblem p, const PlainTensors& in) {
  p.part = GnmtPart::inference;
  const PlainTensors out = gnmt_outputs(p, in);
  const auto y = out.values<double>(0);
  return std::inner_product(y.begin(), y.end(), in.at<double>("dy"), 0.0);
}

TEST(GnmtDefinition, GradientsEqualFiniteDifferences) {
  for (const char* text : {"T2 S3 N2 K2", "T3 S4 N3 K3 unequal"}) {
    const auto p = gnmt(text);
    PlainTensors in = random_gnmt_inputs(p);
    const PlainTensors gradients = gnmt_outputs(p, in);
    for (std::size_t g = 0; g < gradients.infos().size(); ++g) {
      const std::string& name = gradients.infos()[g].name;
      const std::string of =
          name.starts_with("ds") || name.starts_with("dt") ? name.substr(1) : name.substr(0, name.rfind('.'));
      const std::int64_t size = gradients.infos()[g].size();
      for (std::int64_t i = 0; i < size; i += 1 + size / 5) {
        constexpr double kStep = 1e-5;
        double& x = in.at<double>(of)[i];
        const double was = x;
        x = was + kStep;
        const double above = gnmt_loss(p, in);
        x = was - kStep;
        const double below = gnmt_loss(p, in);
        x = was;
        EXPECT_NEAR(gradients.values<double>(g)[static_cast<std::size_t>(i)], (above - below) / (2 * kStep), 1e-8)
            << text << " " << name << " " << i;
      }
    }
  }
}

// Source words after an end, and later target words, reach nothing.
TEST(GnmtDefinition, OnlyWhatATranslationHasReadReachesIt) {
  const auto p = gnmt("T4 S5 N2 K3 unequal inference");
  PlainTensors in = random_gnmt_inputs(p);
  in.at<double>("lengths")[0] = 3;
  in.at<double>("lengths")[1] = 5;
  const PlainTensors before = gnmt_outputs(p, in);
  std::fill_n(in.at<double>("source") + (3 * p.N) * p.K, p.K, 7.0);  // sentence 0, after its end
  std::fill_n(in.at<double>("target") + (2 * p.N) * p.K, p.K, 7.0);
  const PlainTensors after = gnmt_outputs(p, in);
  for (std::int64_t t = 0; t < p.T; ++t)
    for (std::int64_t n = 0; n < p.N; ++n) {
      const std::int64_t at = (t * p.N + n) * p.K;
      EXPECT_EQ(before.at<double>("y")[at] == after.at<double>("y")[at], n == 1 || t < 2) << t << n;
    }
}

TEST(GnmtOps, AWrongStackFails) {
  for (const char* text : {"T3 S4 N4 K6 unequal inference", "T3 S4 N4 K6 unequal step"}) {
    const auto p = gnmt(text);
    const TestData data = make_checkable_test_data<GnmtOp>(p, Fill::floats);
    const auto verdict_on_wrong = [&](const auto& wrong) {
      PlainTensors in(with_dtype(GnmtOp::inputs(p), DType::f64));
      for (std::size_t i = 0; i < in.infos().size(); ++i) {
        if (data.inputs.infos()[i].dtype == DType::i32) {
          std::ranges::copy(data.inputs.values<std::int32_t>(i), in.values<double>(i).begin());
        } else {
          std::ranges::copy(data.inputs.values<float>(i), in.values<double>(i).begin());
        }
      }
      wrong(in);
      return compare(gnmt_outputs(p, in), data.expected, data.tolerance).status;
    };
    EXPECT_EQ(verdict_on_wrong([](PlainTensors&) {}), Status::ok);
    for (const GnmtLayer& layer : gnmt_layers(p)) {
      EXPECT_EQ(verdict_on_wrong([&](PlainTensors& in) {
                  std::fill_n(in.at<double>(layer.name + ".bias"), layer.rnn.D() * 4 * p.K, 0.0);
                }),
                Status::failed)
          << text << " " << layer.name;
    }
    EXPECT_EQ(verdict_on_wrong([&](PlainTensors& in) {
                double* const lengths = in.at<double>("lengths");
                --*std::max_element(lengths, lengths + p.N);
              }),
              Status::failed);
  }
}

}  // namespace
}  // namespace brickwork
