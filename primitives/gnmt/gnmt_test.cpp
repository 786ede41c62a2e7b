#include "primitives/gnmt/gnmt.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "primitives/gnmt/op/gnmt_op.hpp"
#include "primitives/op/test_data.hpp"

namespace brickwork {
namespace {

GnmtStack gnmt_of(const GnmtProblem& p, const PlainTensors& in, Backend backend = Backend::simd, Isa isa = Isa::best) {
  auto made = GnmtStack::make(p, {.threads = 2}, backend, isa);
  if (!made) throw std::logic_error(made.reason());
  GnmtStack stack = *std::move(made);
  stack.set_words(in.at<float>("source"), in.at<float>("target"));
  stack.set_lengths(in.at<std::int32_t>("lengths"));
  const auto layers = gnmt_layers(p);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto weights = [&](const char* what) { return in.at<float>(layers[i].name + "." + what); };
    stack.set_weights(i, weights("weights_layer"), weights("weights_iter"), weights("bias"));
  }
  return stack;
}

// Runs twice: what the first run leaves must not show.
PlainTensors run_gnmt(const GnmtProblem& p, const PlainTensors& in, Backend backend = Backend::simd,
                      Isa isa = Isa::best) {
  GnmtStack stack = gnmt_of(p, in, backend, isa);
  PlainTensors out(GnmtOp::outputs(p));
  poison(out);
  for (int again = 0; again < 2; ++again) {
    stack.run();
    if (p.part == GnmtPart::inference) continue;
    stack.set_gradient(in.at<float>("dy"));
    stack.run_backward();
  }
  if (p.part == GnmtPart::inference) {
    stack.get_y(out.at<float>("y"));
    return out;
  }
  stack.get_word_gradients(out.at<float>("dsource"), out.at<float>("dtarget"));
  const auto layers = gnmt_layers(p);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto gradient = [&](const char* what) { return out.at<float>(layers[i].name + "." + what + ".gradient"); };
    stack.get_weight_gradients(i, gradient("weights_layer"), gradient("weights_iter"), gradient("bias"));
  }
  return out;
}

void expect_right_gnmt(GnmtProblem p, Backend backend = Backend::simd, Isa isa = Isa::best) {
  for (const GnmtPart part : {GnmtPart::inference, GnmtPart::step}) {
    p.part = part;
    if (part == GnmtPart::step && std::min(p.T, p.S) < 2) continue;
    TestData data;
    try {
      data = make_checkable_test_data<GnmtOp>(p, Fill::floats);
    } catch (const std::invalid_argument&) {
      continue;  // all sentences are one word long
    }
    const Verdict verdict = compare(run_gnmt(p, data.inputs, backend, isa), data.expected, data.tolerance);
    EXPECT_EQ(verdict.status, Status::ok) << to_string(p) << ": " << verdict.reason;
  }
}

TEST(GnmtStack, IsRightForEverySize) {
  for (const char* sizes : {"T1 S1 N1 K1", "T2 S3 N2 K5", "T4 S3 N5 K16", "T3 S5 N3 K33", "T5 S4 N12 K65",
                            "T3 S3 N2 K300", "T70 S67 N2 K8"}) {
    for (const char* lengths : {" equal", " unequal"}) {
      expect_right_gnmt(parse_problem<GnmtProblem>(std::string(sizes) + lengths));
    }
  }
}

TEST(GnmtStack, IsRightOnEveryBackendAndIsa) {
  const auto p = parse_problem<GnmtProblem>("T3 S4 N5 K20 unequal");
  for (const BackendInfo& backend : brgemm_backends()) {
    if (!backend.absent_reason.empty()) continue;
    expect_right_gnmt(p, backend.backend);
    for (const Isa isa : backend.isas) expect_right_gnmt(p, backend.backend, isa);
  }
}

TEST(GnmtStack, IsRightOnRandomProblems) {
  EXPECT_TRUE(rc::check([] {
    GnmtProblem p;
    p.T = *rc::gen::inRange(1, 8);
    p.S = *rc::gen::inRange(1, 8);
    p.N = *rc::gen::inRange(1, 8);
    p.K = *rc::gen::inRange(1, 40);
    p.lengths = *rc::gen::element(SequenceLengths::equal, SequenceLengths::unequal);
    expect_right_gnmt(p);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(GnmtStack, IgnoresWordsAfterASentencesEnd) {
  const auto p = parse_problem<GnmtProblem>("T3 S6 N4 K5 unequal");
  TestData data = make_checkable_test_data<GnmtOp>(p, Fill::floats);
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t s = data.inputs.at<std::int32_t>("lengths")[n]; s < p.S; ++s)
      std::fill_n(data.inputs.at<float>("source") + (s * p.N + n) * p.K, p.K, std::numeric_limits<float>::quiet_NaN());
  const Verdict verdict = compare(run_gnmt(p, data.inputs), data.expected, data.tolerance);
  EXPECT_EQ(verdict.status, Status::ok) << verdict.reason;
}

TEST(GnmtStack, ANanInASentenceReachesOnlyItsTranslation) {
  const auto p = parse_problem<GnmtProblem>("T3 S4 N3 K5 inference");
  TestData data = make_checkable_test_data<GnmtOp>(p, Fill::floats);
  data.inputs.at<float>("source")[(2 * p.N + 1) * p.K] = std::numeric_limits<float>::quiet_NaN();
  const PlainTensors out = run_gnmt(p, data.inputs);
  for (std::int64_t t = 0; t < p.T; ++t)
    for (std::int64_t n = 0; n < p.N; ++n)
      EXPECT_EQ(std::isnan(out.at<float>("y")[(t * p.N + n) * p.K]), n == 1) << t << n;
}

TEST(GnmtStack, RefusesImpossibleLengths) {
  const auto p = parse_problem<GnmtProblem>("T3 S4 N2 K5 unequal inference");
  GnmtStack stack = *GnmtStack::make(p, {}, Backend::simd);
  const std::int32_t none[] = {4, 0}, longer[] = {5, 1};
  EXPECT_THROW(stack.set_lengths(none), std::invalid_argument);
  EXPECT_THROW(stack.set_lengths(longer), std::invalid_argument);
}

}  // namespace
}  // namespace brickwork
