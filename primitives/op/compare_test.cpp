#include "primitives/op/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace brickwork {
namespace {

PlainTensors of(std::vector<double> first, std::vector<double> second, DType dtype) {
  PlainTensors tensors({{.name = "h", .dims = {std::ssize(first)}, .dtype = dtype},
                        {.name = "c", .dims = {std::ssize(second)}, .dtype = dtype}});
  for (const auto& [i, values] : {std::pair{0UL, first}, std::pair{1UL, second}}) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (dtype == DType::f32) {
        tensors.values<float>(i)[j] = static_cast<float>(values[j]);
      } else if (dtype == DType::bf16) {
        tensors.values<bf16>(i)[j] = static_cast<bf16>(values[j]);
      } else {
        tensors.values<double>(i)[j] = values[j];
      }
    }
  }
  return tensors;
}

Verdict verdict(std::vector<double> first, std::vector<double> second, Tolerance tolerance = {}) {
  return compare(of(first, second, DType::f32), of({1, 2}, {3}, DType::f64), tolerance);
}

TEST(Compare, AcceptsTheRightAnswerRepeated) {
  const Verdict right = verdict({1, 2, 1, 2, 1, 2}, {3, 3});
  EXPECT_EQ(right.status, Status::ok);
  EXPECT_EQ(right.reason, "");
  EXPECT_EQ(right.max_error, 0);
}

// With two images per step, the images of each step repeat.
TEST(Compare, RepeatsAlongTheDimensionThatDiffers) {
  const auto verdict_on = [](const std::vector<double>& actual) {
    PlainTensors few({{.name = "y", .dims = {2, 2, 1}, .dtype = DType::f64}});
    PlainTensors all({{.name = "y", .dims = {2, 4, 1}, .dtype = DType::f64}});
    std::ranges::copy(std::vector<double>{1, 2, 3, 4}, few.at<double>("y"));
    std::ranges::copy(actual, all.at<double>("y"));
    return compare(all, few, 0).status;
  };
  EXPECT_EQ(verdict_on({1, 2, 1, 2, 3, 4, 3, 4}), Status::ok);
  EXPECT_EQ(verdict_on({1, 2, 3, 4, 1, 2, 3, 4}), Status::failed);
  EXPECT_EQ(verdict_on({1, 2, 1, 2, 3, 4, 3, 5}), Status::failed);
}

TEST(Compare, SeesEveryOutputOfEveryTensor) {
  for (std::size_t wrong = 0; wrong < 6; ++wrong) {
    std::vector<double> first{1, 2, 1, 2}, second{3, 3};
    (wrong < 4 ? first[wrong] : second[wrong - 4]) += 0.5;
    const Verdict found = verdict(first, second);
    EXPECT_EQ(found.status, Status::failed) << wrong;
    EXPECT_EQ(found.max_error, 0.5);
    EXPECT_NE(found.reason.find(wrong < 4 ? "in h are wrong" : "in c are wrong"), std::string::npos) << found.reason;
  }
}

TEST(Compare, SaysHowManyAreWrongAndWhichIsTheFirst) {
  EXPECT_EQ(verdict({1, 3, 6, 2}, {3}).reason,
            "2 of 4 outputs in h are wrong, the first at element 1: 3 instead of 2 +- 0");
}

TEST(Compare, AcceptsErrorsUpToTheTolerance) {
  EXPECT_EQ(verdict({1, 2.125}, {3}, 0.125).status, Status::ok);
  EXPECT_EQ(verdict({1, 2.125}, {3}, 0.125).max_error, 0.125);
  EXPECT_EQ(verdict({1, 2.125}, {3}, 0.124).status, Status::failed);
}

TEST(Compare, AnOutputMayBeAllowedMoreThanTheOthers) {
  const auto verdict_on = [](double first, double second) {
    PlainTensors actual({{.name = "h", .dims = {1}}, {.name = "sum", .dims = {1}, .error = 1}});
    actual.at<float>("h")[0] = static_cast<float>(first);
    actual.at<float>("sum")[0] = static_cast<float>(second);
    PlainTensors right(
        {{.name = "h", .dims = {1}, .dtype = DType::f64}, {.name = "sum", .dims = {1}, .dtype = DType::f64}});
    right.at<double>("h")[0] = right.at<double>("sum")[0] = 1;
    return compare(actual, right, 0.125).status;
  };
  EXPECT_EQ(verdict_on(1, 2.125), Status::ok);
  EXPECT_EQ(verdict_on(1, 2.25), Status::failed);
  EXPECT_EQ(verdict_on(1.25, 1), Status::failed);
}

TEST(Compare, RefusesNanAndInfinityWhateverTheTolerance) {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const Verdict found = verdict({bad, 2}, {3}, 1e30);
    EXPECT_EQ(found.status, Status::failed);
    EXPECT_TRUE(std::isinf(found.max_error));
  }
}

TEST(Compare, RoundsTheRightAnswerToTheOutputsType) {
  const PlainTensors third = of({1.0 / 3}, {1}, DType::f64);
  EXPECT_EQ(compare(of({1.0 / 3}, {1}, DType::f32), third, 0).status, Status::ok);
  EXPECT_EQ(compare(of({1.0 / 3}, {1}, DType::bf16), third, 0).status, Status::ok);
  EXPECT_EQ(compare(of({0.33}, {1}, DType::bf16), third, 0).status, Status::failed);
}

TEST(Compare, RefusesToCompareNothing) {
  EXPECT_THROW(compare(of({1}, {1}, DType::f32), of({}, {1}, DType::f64), 0), std::logic_error);
  EXPECT_THROW(compare(PlainTensors(), PlainTensors(), 0), std::logic_error);
}

TEST(Compare, ZerosMayBeTheRightAnswer) {
  const PlainTensors right = of({0, 0}, {1}, DType::f64);
  EXPECT_EQ(compare(of({0, 0}, {1}, DType::f32), right, 0).status, Status::ok);
  EXPECT_EQ(compare(of({0, 0.5}, {1}, DType::f32), right, 0).status, Status::failed);
  EXPECT_EQ(compare(of({0, NAN}, {1}, DType::f32), right, 1).status, Status::failed);
  EXPECT_TRUE(has_output_of_zeros(right));
  EXPECT_TRUE(has_output_of_zeros(of({1}, {0, -0.0}, DType::f64)));
  EXPECT_FALSE(has_output_of_zeros(of({1}, {0, 1}, DType::f64)));
  EXPECT_FALSE(has_output_of_zeros(of({}, {1}, DType::f64)));
}

TEST(Compare, TheErrorOfAWholeOutputOfZerosIsAbsolute) {
  const PlainTensors right = of({0, 0}, {1}, DType::f64);
  const auto off = [&](double by) { return compare(of({0, by, 0, by}, {1}, DType::f32), right, {0.1, true}); };
  EXPECT_EQ(off(0).status, Status::ok);
  EXPECT_EQ(off(0).max_error, 0);
  EXPECT_EQ(off(0.125).status, Status::ok);
  EXPECT_NEAR(off(0.125).max_error, 0.125 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(off(0.25).status, Status::failed);
  EXPECT_EQ(off(0.25).reason, "the outputs in h are wrong: off by 0.177, but only 0.1 is allowed");
  EXPECT_EQ(off(NAN).status, Status::failed);
}

TEST(Compare, AnOutputThatIsStillZeroForNanWasNotWritten) {
  const PlainTensors right = of({0, 0}, {0, 1}, DType::f64);  // c is not all zeros: an unwritten c shows by itself
  const auto written = [&](std::vector<double> h, const std::vector<double>& of_nan, DType dtype = DType::f32) {
    return compare_written(of(std::move(h), {0, 0}, dtype), of(of_nan, {NAN, NAN}, DType::f64), right);
  };
  EXPECT_EQ(written({NAN, NAN, NAN, NAN}, {NAN, NAN}).status, Status::ok);
  EXPECT_EQ(written({NAN, 7, NAN, 7}, {NAN, NAN}).status, Status::ok);
  EXPECT_EQ(written({NAN, 0, NAN, 0}, {NAN, 0}).status, Status::ok) << "NaN does not reach the second";
  for (const DType dtype : {DType::f32, DType::bf16, DType::f64}) {
    const Verdict last = written({NAN, NAN, NAN, 0}, {NAN, NAN}, dtype);
    EXPECT_EQ(last.status, Status::failed);
    EXPECT_EQ(last.reason, "1 of 4 outputs in h are still 0 for inputs of NaN: no run has written them");
  }
}

TEST(Compare, PoisonIsWrongInEveryType) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f64}) {
    PlainTensors output = of({1, 2}, {3}, dtype);
    poison(output);
    EXPECT_EQ(compare(output, of({1, 2}, {3}, DType::f64), 1e30).status, Status::failed) << to_string(dtype);
  }
}

TEST(Compare, PoisonLeavesIntegers) {
  PlainTensors lengths({{.name = "lengths", .dims = {1}, .dtype = DType::i32}, {.name = "x", .dims = {1}}});
  *lengths.at<std::int32_t>("lengths") = 3;
  poison(lengths);
  EXPECT_EQ(*lengths.at<std::int32_t>("lengths"), 3);
  EXPECT_TRUE(std::isnan(*lengths.at<float>("x")));
}

TEST(Compare, FewElementsOfAWholeOutputMayBeFarOff) {
  const auto off = [](double by) { return verdict({1, 2, 1, 2 + by}, {3}, {0.1, true}); };
  EXPECT_EQ(off(0).max_error, 0);
  EXPECT_EQ(off(0.3).status, Status::ok);  // 0.3 / sqrt(10)
  EXPECT_NEAR(off(0.3).max_error, 0.3 / std::sqrt(10.0), 1e-6);
  EXPECT_EQ(off(0.4).status, Status::failed);
  EXPECT_EQ(off(NAN).status, Status::failed);
  EXPECT_EQ(verdict({1, 2}, {4}, {0.1, true}).status, Status::failed);  // the error is in the other output
  EXPECT_NE(off(0.4).reason.find("off by 0.126 of the right values"), std::string::npos) << off(0.4).reason;
}

}  // namespace
}  // namespace brickwork
