#include "primitives/op/test_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace brickwork {
namespace {

// N images of one value each, for the operations below.
struct Row {
  static const SizeTable<Row>& table() {
    static const SizeTable<Row> table{
        .kind = "row", .sizes = {{.key = "N", .column = "N", .member = &Row::N, .setting = true}}, .words = {}};
    return table;
  }
  void validate() const { check_sizes(*this, 1000, "1000"); }
  std::int64_t N = 1;
};

// y[n] = x[n] * x[n], per image.
struct Square {
  using Problem = Row;
  static constexpr std::string_view primitive = "square", pass = "forward";
  static constexpr std::int64_t Row::*images = &Row::N;
  static constexpr bool sum_of_products = true;
  static std::vector<TensorInfo> inputs(const Row& p) { return {{.name = "x", .dims = {p.N}, .per_image = true}}; }
  static std::vector<TensorInfo> outputs(const Row& p) { return {{.name = "y", .dims = {p.N}, .per_image = true}}; }
  static std::int64_t terms(const Row&) { return 1; }
  static double flops(const Row& p) { return static_cast<double>(p.N); }
  static double least_flops(const Row& p) { return flops(p); }
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    for (std::int64_t n = 0; n < p.N; ++n) out.at<double>("y")[n] = std::pow(in.at<double>("x")[n], 2);
  }
};

// y = sum over n of x[n]: an output over all images, as in a weight update.
struct Sum : Square {
  static std::vector<TensorInfo> outputs(const Row&) { return {{.name = "y", .dims = {1}}}; }
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    for (std::int64_t n = 0; n < p.N; ++n) *out.at<double>("y") += in.at<double>("x")[n];
  }
};

// y = sum over n of x[n] * x[n] * z[n], declared as a sum over images: a few images stand for all.
int images_summed = 0;
struct WeighedSum : Square {
  static constexpr bool sum_over_images = true;
  static std::int64_t terms(const Row& p) { return p.N; }
  static std::vector<TensorInfo> inputs(const Row& p) {
    return {{.name = "x", .dims = {p.N}, .per_image = true}, {.name = "z", .dims = {p.N}, .per_image = true}};
  }
  static std::vector<TensorInfo> outputs(const Row&) { return {{.name = "y", .dims = {1}}}; }
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    const double *x = in.at<double>("x"), *z = in.at<double>("z");
    for (std::int64_t n = 0; n < p.N; ++n) *out.at<double>("y") += x[n] * x[n] * z[n];
    images_summed = static_cast<int>(p.N);
  }
};

// A sum over images, and an output per image.
struct SumAndImages : WeighedSum {
  static std::vector<TensorInfo> outputs(const Row& p) {
    return {{.name = "y", .dims = {1}}, {.name = "w", .dims = {p.N}, .per_image = true}};
  }
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    WeighedSum::reference(p, in, out);
    std::copy_n(in.at<double>("z"), p.N, out.at<double>("w"));
  }
};

// y[n] = tanh(x[n]): no sum of products.
struct Tanh : Square {
  static constexpr bool sum_of_products = false;
  static double bound(const Row&) { return 1e-6; }
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    for (std::int64_t n = 0; n < p.N; ++n) out.at<double>("y")[n] = std::tanh(in.at<double>("x")[n]);
  }
};

struct Zero : Square {
  static void reference(const Row&, const PlainTensors&, PlainTensors&) {}
};

// y[n] = x[n] - x[n]: zero for every number, NaN for NaN.
struct Nought : Square {
  static std::vector<TensorInfo> inputs(const Row& p) {
    return {{.name = "x", .dims = {p.N}, .per_image = true},
            {.name = "lengths", .dims = {p.N}, .per_image = true, .dtype = DType::i32}};
  }
  static void settle(const Row& p, PlainTensors& in) { std::fill_n(in.at<double>("lengths"), p.N, 3); }
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    const double* x = in.at<double>("x");
    for (std::int64_t n = 0; n < p.N; ++n) {
      if (in.at<double>("lengths")[n] != 3) throw std::logic_error("what settle() made of integers is lost");
      out.at<double>("y")[n] = x[n] - x[n];
    }
  }
};

// y[n] = max(x[n] - 3, 0): for one image mostly zero.
struct Ramp : Square {
  static void reference(const Row& p, const PlainTensors& in, PlainTensors& out) {
    for (std::int64_t n = 0; n < p.N; ++n) out.at<double>("y")[n] = std::max(in.at<double>("x")[n] - 3, 0.0);
  }
};

static_assert(Operation<Square> && Operation<Sum> && Operation<WeighedSum> && Operation<Tanh>);

TEST(TestData, ImagesComeFromAFewDistinctOnes) {
  const TestData data = make_test_data<Square>({.N = 8}, Fill::integers, "a");
  const auto x = data.inputs.values<float>(0);
  const auto y = data.expected.values<double>(0);
  ASSERT_EQ(x.size(), 8U);
  ASSERT_EQ(y.size(), 3U);
  for (std::size_t n = 0; n < 8; ++n) {
    EXPECT_EQ(x[n], x[n % 3]);
    EXPECT_EQ(x[n] * x[n], y[n % 3]);
  }
  EXPECT_EQ(data.tolerance.value, 0);
}

TEST(TestData, AnOutputOverAllImagesIsJudgedOverAllOfThem) {
  const TestData data = make_test_data<Sum>({.N = 8}, Fill::integers, "a");
  double sum = 0;
  for (const float x : data.inputs.values<float>(0)) sum += x;
  EXPECT_EQ(data.expected.values<double>(0)[0], sum);
}

TEST(TestData, ASumOverImagesIsAMultipleOfTheSumOverAFew) {
  for (const auto& [images, few] : {std::pair{1L, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 3}, {8, 4}, {9, 3}}) {
    const TestData data = make_test_data<WeighedSum>({.N = images}, Fill::integers, "a");
    const auto x = data.inputs.values<float>(0), z = data.inputs.values<float>(1);
    ASSERT_EQ(z.size(), static_cast<std::size_t>(images));
    double sum = 0;
    for (std::size_t n = 0; n < z.size(); ++n) {
      EXPECT_EQ(z[n], z[n % static_cast<std::size_t>(few)]);
      sum += x[n] * x[n] * z[n];
    }
    EXPECT_EQ(data.expected.values<double>(0)[0], sum) << images;
    EXPECT_EQ(images_summed, few);
  }
}

TEST(TestData, ASumOverRepeatedImagesHasAProportionalTolerance) {
  const Row p{.N = 3000};
  const TestData data = make_test_data<WeighedSum>(p, Fill::floats, "a");
  const auto x = data.inputs.values<float>(0), z = data.inputs.values<float>(1);
  float sum = 0;
  for (std::size_t n = 0; n < z.size(); ++n) sum += x[n] * x[n] * z[n];
  const double error = std::abs(sum - data.expected.values<double>(0)[0]);
  const double of_others = TestValues(Fill::floats, WeighedSum::terms(p), "a").tolerance();
  EXPECT_GT(error, of_others);
  EXPECT_LE(error, data.tolerance.value);
  EXPECT_EQ(data.tolerance.value, 1000 * of_others);
}

TEST(TestData, OutputsPerImageRepeatBesideASum) {
  const TestData data = make_test_data<SumAndImages>({.N = 8}, Fill::integers, "a");
  EXPECT_EQ(images_summed, 4);
  const auto x = data.inputs.values<float>(0), z = data.inputs.values<float>(1);
  const auto w = data.expected.values<double>(1);
  double sum = 0;
  ASSERT_EQ(w.size(), 4U);
  for (std::size_t n = 0; n < 8; ++n) {
    EXPECT_EQ(w[n % 4], z[n]);
    sum += x[n] * x[n] * z[n];
  }
  EXPECT_EQ(data.expected.values<double>(0)[0], sum);
}

TEST(TestData, AnOperationWithoutProductsGetsFloatsAndItsOwnBound) {
  const TestData data = make_test_data<Tanh>({.N = 8}, Fill::integers, "a");
  for (const float x : data.inputs.values<float>(0)) EXPECT_LT(std::abs(x), 1);
  EXPECT_EQ(data.tolerance.value, 1e-6);
}

TEST(TestData, DependsOnlyOnTheSeed) {
  const auto x = [](const char* seed) {
    const TestData data = make_test_data<Square>({.N = 3}, Fill::floats, seed);
    return std::vector<float>(data.inputs.values<float>(0).begin(), data.inputs.values<float>(0).end());
  };
  EXPECT_EQ(x("a"), x("a"));
  EXPECT_NE(x("a"), x("b"));
}

TEST(TestData, AnAnswerOfZerosComesWithTheAnswerToNan) {
  const TestData data = make_checkable_test_data<Nought>({.N = 8}, Fill::integers);
  for (const double y : data.expected.values<double>(0)) EXPECT_EQ(y, 0);
  for (const float x : data.inputs.values<float>(0)) EXPECT_FALSE(std::isnan(x));
  ASSERT_EQ(data.of_nan.infos().size(), 1U);
  ASSERT_EQ(data.of_nan.values<double>(0).size(), 3U);
  for (const double y : data.of_nan.values<double>(0)) EXPECT_TRUE(std::isnan(y));
}

TEST(TestData, DrawsOtherInputsIfTheAnswerIsZeros) {
  int drawn_again = 0;
  for (std::int64_t n = 1; n <= 8; ++n) {
    const Row row{.N = n};
    const TestData data = make_checkable_test_data<Ramp>(row, Fill::integers);
    EXPECT_FALSE(has_output_of_zeros(data.expected));
    EXPECT_TRUE(data.of_nan.infos().empty());
    const TestData first = make_test_data<Ramp>(row, Fill::integers, to_string(row) + " 0");
    if (has_output_of_zeros(first.expected)) ++drawn_again;
  }
  EXPECT_GT(drawn_again, 0);
}

TEST(TestData, RefusesAnAnswerThatIsZeroForNanToo) {
  EXPECT_THROW(make_checkable_test_data<Zero>({.N = 3}, Fill::integers), std::invalid_argument);
  EXPECT_NO_THROW(make_checkable_test_data<Square>({.N = 3}, Fill::integers));
}

TEST(Op, BytesAreTheSizesOfItsTensors) { EXPECT_EQ(bytes_of<Square>({.N = 5}), 4.0 * (5 + 5)); }

}  // namespace
}  // namespace brickwork
