// Outputs that are rightly all zeros, such as the gradient of a softmax of one class: memory that nobody wrote is
// right, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "baselines/contender/checker.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

struct NoughtSize {
  static const SizeTable<NoughtSize>& table() {
    static const SizeTable<NoughtSize> table{
        .kind = "images", .sizes = {{.key = "N", .column = "N", .member = &NoughtSize::N}}, .words = {}};
    return table;
  }
  std::int64_t N = 1;
};

// y = x - x, and z = x.
struct Nought {
  using Problem = NoughtSize;
  static constexpr std::string_view primitive = "nought", pass = "forward";
  static constexpr std::int64_t NoughtSize::*images = &NoughtSize::N;
  static constexpr bool sum_of_products = false;
  static std::vector<TensorInfo> inputs(const NoughtSize& p) {
    return {{.name = "x", .dims = {p.N, 64}, .per_image = true}};
  }
  static std::vector<TensorInfo> outputs(const NoughtSize& p) {
    return {{.name = "y", .dims = {p.N, 64}, .per_image = true}, {.name = "z", .dims = {p.N, 64}, .per_image = true}};
  }
  static std::int64_t terms(const NoughtSize&) { return 1; }
  static double flops(const NoughtSize& p) { return static_cast<double>(p.N * 64); }
  static double least_flops(const NoughtSize& p) { return flops(p); }
  static double bound(const NoughtSize&) { return 1e-6; }
  static void reference(const NoughtSize&, const PlainTensors& in, PlainTensors& out) {
    const auto x = in.values<double>(0);
    std::ranges::transform(x, out.values<double>(0).begin(), [](double value) { return value - value; });
    std::ranges::copy(x, out.values<double>(1).begin());
  }
};

using NoughtRun = std::function<void(std::span<const float> x, std::span<float> y)>;  // fills y

void subtract(std::span<const float> x, std::span<float> y) {
  std::ranges::transform(x, y.begin(), [](float value) { return value - value; });
}

// Its output is zero from the start and kept between runs, like most contenders'.
class PreparedNought final : public Prepared {
 public:
  PreparedNought(const PlainTensors& in, NoughtRun run) : in_(in), run_(std::move(run)) {}
  void pack() override { std::ranges::copy(in_.values<float>(0), x_.begin()); }
  void run() override { run_(x_, y_); }
  void unpack(PlainTensors& out) override {
    std::ranges::copy(y_, out.values<float>(0).begin());
    std::ranges::copy(x_, out.values<float>(1).begin());
  }

 private:
  const PlainTensors& in_;
  NoughtRun run_;
  std::vector<float> x_ = std::vector<float>(in_.values<float>(0).size()), y_ = std::vector<float>(x_.size());
};

Verdict nought_verdict(const NoughtRun& run) {
  const Contender<Nought> contender{
      .name = "fake",
      .library = {"none", "1.0"},
      .prepare = [&](const NoughtSize&, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
        return {std::make_unique<PreparedNought>(in, run)};
      }};
  return check(contender, {4}, make_checkable_test_data<Nought>({4}, Fill::floats), {}).verdict;
}

void expect_nought_failed(const NoughtRun& run, const std::string& reason) {
  const Verdict verdict = nought_verdict(run);
  EXPECT_EQ(verdict.status, Status::failed);
  EXPECT_THAT(verdict.reason, HasSubstr(reason));
}

TEST(CheckerOfZeros, AcceptsTheRightAnswer) {
  const Verdict verdict = nought_verdict(subtract);
  EXPECT_EQ(verdict.status, Status::ok);
  EXPECT_EQ(verdict.reason, "");
  EXPECT_EQ(verdict.max_error, 0);
}

TEST(CheckerOfZeros, RefusesZerosFromTheStart) {
  expect_nought_failed([](auto, auto) {},
                       "256 of 256 outputs in y are still 0 for inputs of NaN: no run has written them");
}

TEST(CheckerOfZeros, RefusesAnElementThatNoRunWrites) {
  for (const std::size_t left_out : {0UL, 100UL, 255UL}) {
    expect_nought_failed(
        [&](auto x, auto y) {
          for (std::size_t i = 0; i < y.size(); ++i) {
            if (i != left_out) y[i] = x[i] - x[i];
          }
        },
        "1 of 256 outputs in y are still 0 for inputs of NaN");
  }
}

TEST(CheckerOfZeros, RefusesAnElementThatOnlyTheFirstRunWrites) {
  int runs = 0;
  expect_nought_failed([&](auto x, auto y) { subtract(++runs == 1 ? x : x.first(255), y); },
                       "1 of 256 outputs in y are wrong, the first at element 255: nan instead of 0");
}

TEST(CheckerOfZeros, RefusesARunThatDoesNotWriteItsZeros) {
  expect_nought_failed(
      [](auto x, auto y) {
        for (std::size_t i = 0; i < y.size(); ++i) {
          if (x[i] - x[i] != 0) y[i] = x[i] - x[i];
        }
      },
      "256 of 256 outputs in y are wrong, the first at element 0: nan instead of 0");
}

TEST(CheckerOfZeros, RefusesAnotherAnswer) {
  expect_nought_failed(
      [](auto x, auto y) {
        subtract(x, y);
        y[7] += 0.5F;
      },
      "1 of 256 outputs in y are wrong, the first at element 7: 0.5 instead of 0");
}

// The contender that is timed has never met a NaN.
TEST(CheckerOfZeros, RefusesTheRunsThatAreTimed) {
  int runs = 0;
  expect_nought_failed(
      [&](auto x, auto y) {
        subtract(x, y);
        if (++runs > 2) y[7] = 0.5F;
      },
      "1 of 256 outputs in y are wrong, the first at element 7: 0.5 instead of 0");
}

TEST(CheckerOfZeros, TurnsExceptionsIntoTheReason) {
  expect_nought_failed([](auto, auto) { throw std::runtime_error("the library refuses"); }, "the library refuses");
}

TEST(CheckerOfZeros, PassesOnTheReasonOfARefusal) {
  Contender<Nought> contender = absent_library<Nought>("onednn", "oneDNN");
  const TestData data = make_checkable_test_data<Nought>({4}, Fill::floats);
  EXPECT_EQ(check(contender, {4}, data, {}).verdict.status, Status::absent);
}

}  // namespace
}  // namespace brickwork
