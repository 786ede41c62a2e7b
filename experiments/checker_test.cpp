#include "checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fake_experiment.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;
using Output = std::span<float>;
using Right = std::span<const float>;

Verdict verdict_on(std::function<void(Right, Output)> run, std::string unsupported = {}) {
  const FakeExperiment experiment({{"fake", std::move(run), std::move(unsupported)}});
  return check(*experiment.load(0, Fill::integers), 0).verdict;
}

void expect_failed(const Verdict& verdict, const std::string& reason) {
  EXPECT_EQ(verdict.status, Status::failed);
  EXPECT_THAT(verdict.reason, HasSubstr(reason));
  EXPECT_FALSE(verdict.max_error == 0);
}

TEST(Checker, AcceptsTheRightAnswer) {
  const Verdict verdict = verdict_on(right_answer);
  EXPECT_EQ(verdict.status, Status::ok);
  EXPECT_EQ(verdict.reason, "");
  EXPECT_EQ(verdict.max_error, 0);
}

TEST(Checker, RefusesZeros) {
  expect_failed(verdict_on([](Right, Output out) { std::ranges::fill(out, 0.0F); }), "192 of 192 outputs are wrong");
}

TEST(Checker, RefusesUntouchedOutput) {
  expect_failed(verdict_on([](Right, Output) {}), "nan instead of");
}

TEST(Checker, RefusesAnOutputWithItsLastElementUntouched) {
  expect_failed(verdict_on([](Right right, Output out) { right_answer(right.first(191), out); }),
                "1 of 192 outputs are wrong, the first at element 191: nan");
}

TEST(Checker, RefusesATileOffByOne) {
  expect_failed(verdict_on([](Right right, Output out) {
                  right_answer(right, out);
                  std::ranges::copy(right.subspan(65, 16), out.begin() + 64);  // of the second image
                }),
                "16 of 192 outputs are wrong, the first at element 64: -19.5 instead of -20.5");
}

TEST(Checker, RefusesOneWrongElementInTheLastImage) {
  const auto verdict = verdict_on([](Right right, Output out) {
    right_answer(right, out);
    out[190] += 0.25F;
  });
  expect_failed(verdict, "1 of 192 outputs are wrong, the first at element 190");
  EXPECT_EQ(verdict.max_error, 0.25);
}

TEST(Checker, RefusesNanAndInfinity) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto verdict = verdict_on([bad](Right right, Output out) {
      right_answer(right, out);
      out[3] = bad;
    });
    expect_failed(verdict, "1 of 192 outputs are wrong, the first at element 3");
    EXPECT_TRUE(std::isinf(verdict.max_error));
  }
}

TEST(Checker, RefusesRunsThatAddToEarlierOutput) {
  int runs = 0;
  expect_failed(verdict_on([&](Right right, Output out) {
                  ++runs;
                  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(runs) * right[i];
                }),
                "wrong");
}

TEST(Checker, TurnsExceptionsIntoTheReason) {
  expect_failed(verdict_on([](Right, Output) { throw std::runtime_error("the library refuses"); }),
                "the library refuses");
  expect_failed(verdict_on([](Right, Output) { throw std::logic_error("called wrongly"); }), "called wrongly");
}

TEST(Checker, SkipsWithTheReason) {
  const Verdict verdict = verdict_on(right_answer, "no such instruction set");
  EXPECT_EQ(verdict.status, Status::skipped);
  EXPECT_EQ(verdict.reason, "no such instruction set");
}

TEST(Compare, HoldsToTheTolerance) {
  const std::vector<float> right{1, 2}, near{1, 2.125F};
  EXPECT_EQ(compare(near, right, 0.125).status, Status::ok);
  EXPECT_EQ(compare(near, right, 0.124).status, Status::failed);
  EXPECT_EQ(compare(near, right, 0.125).max_error, 0.125);
}

TEST(Compare, RefusesToDecideNothing) {
  const std::vector<float> some{1}, zeros(4), none;
  EXPECT_THROW(compare(none, some, 0), std::logic_error);
  EXPECT_THROW(compare(some, none, 0), std::logic_error);
  EXPECT_THROW(compare(zeros, zeros, 0), std::logic_error);
}

}  // namespace
}  // namespace brickwork
