#include "experiments/harness/run/memory_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "experiments/harness/testing/fake_experiment.hpp"

namespace brickwork {
namespace {

// The input and the output have `size` rows of 64 floats each. The right answer is in double and has at most 3 rows.
constexpr double kRow = 64 * sizeof(float);

TEST(MemoryOf, CountsTheTestDataTheContendersAndOneOutput) {
  EXPECT_EQ(memory_of<FakeOp>({.size = 1}, {}), kRow * ((1 + 2) + 2 * 2 + 1));
  EXPECT_EQ(memory_of<FakeOp>({.size = 100}, {}), kRow * ((100 + 2 * 3) + 2 * 200 + 100));
}

TEST(MemoryOf, CountsEveryContenderAndWorkloadAtOnce) {
  EXPECT_EQ(memory_of<FakeOp>({.size = 100}, {.contenders = 7}), kRow * ((100 + 2 * 3) + (7 + 1) * 200 + 100));
  EXPECT_EQ(memory_of<FakeOp>({.size = 100}, {.workloads = 2}), kRow * (2 * (100 + 2 * 3) + 2 * 200 + 100));
}

TEST(MemoryOf, CountsTheLimitsMeasuredBesideThem) {
  EXPECT_EQ(memory_of<FakeOp>({.size = 100}, {.timed = true}), kRow * ((100 + 2 * 3) + 2 * 200 + 200));
}

// Keeps values between its passes, like the gates of a recurrent layer.
struct FakeLayersOp : FakeOp {
  static double values_between(const FakeProblem& p) { return 64.0 * 10 * static_cast<double>(p.size); }
};

TEST(MemoryOf, CountsValuesKeptBetweenPasses) {
  EXPECT_EQ(memory_of<FakeLayersOp>({.size = 100}, {}), memory_of<FakeOp>({.size = 100}, {}) + 2 * 2 * kRow * 10 * 100);
}

// Large weights, which are not per image: the test data hold them in double before any contender has a copy.
struct FakeWeightsOp : FakeOp {
  static std::vector<TensorInfo> inputs(const FakeProblem& p) {
    return {{.name = "x", .dims = {p.size, 64}, .per_image = true}, {.name = "weights", .dims = {1000, 64}}};
  }
  static double values_between(const FakeProblem& p) { return 64.0 * static_cast<double>(p.size); }
};

TEST(MemoryOf, CountsRandomInputsInDouble) {
  constexpr double kInputs = 1001, kDoubles = 2 * 1001;
  EXPECT_EQ(memory_of<FakeWeightsOp>({.size = 1}, {.contenders = 0}), kRow * (kInputs + 2 + 2 * kDoubles + 2));
}

std::string refusal_of(std::vector<Contender<FakeOp>> contenders, const FakeProblem& problem, bool check_only,
                       double left) {
  const auto experiment = fake_experiment_of(std::move(contenders), {problem}, check_only, [=] { return left; });
  return experiment->load(0, Fill::integers).reason();
}

// The problem is refused for another reason, too, which is checked after the memory.
TEST(MemoryLeft, RefusesAProblemThatDoesNotFit) {
  const FakeProblem problem{.name = "large", .size = 100, .terms = 1 << 25};
  const std::vector<Contender<FakeOp>> one{contender({"one", right_answer})};
  for (const bool check_only : {false, true}) {
    const double needed = memory_of<FakeOp>(problem, {.workloads = check_only ? 2 : 1, .timed = !check_only});
    EXPECT_THAT(refusal_of(one, problem, check_only, needed), testing::StartsWith("an output is the sum of "));
    EXPECT_THAT(refusal_of(one, problem, check_only, needed - 1), testing::StartsWith("large needs about 0.000 GB"));
  }
  const FakeProblem larger{.name = "larger", .size = 10'000'000};
  EXPECT_EQ(refusal_of(one, larger, false, 1e9),
            "larger needs about 17.920 GB with 1 contender at once, and 1.000 GB are left");
}

TEST(MemoryLeft, RefusesContendersThatDoNotFitBesideEachOther) {
  const FakeProblem problem{.name = "large", .size = 100, .terms = 1 << 25};
  std::vector<Contender<FakeOp>> contenders(5, contender({"one", right_answer}));
  const double of_one = memory_of<FakeOp>(problem, {.workloads = 2, .timed = true});
  EXPECT_THAT(refusal_of(contenders, problem, false, of_one), testing::HasSubstr("GB with 5 contenders at once"));
  EXPECT_THAT(refusal_of(contenders, problem, true, of_one), testing::StartsWith("an output is the sum of "));
  for (std::size_t c = 1; c < 5; ++c) contenders[c].library.absent = "not here";
  EXPECT_THAT(refusal_of(contenders, problem, false, of_one), testing::StartsWith("an output is the sum of "));
}

// A check allocates in two steps. The first one counts the memory of both, because less is left between them.
TEST(MemoryLeft, IsReadOnce) {
  double left = std::numeric_limits<double>::infinity();
  const auto experiment =
      fake_experiment_of({contender({"one", right_answer})}, {FakeProblem{}}, true, [&] { return left; });
  const auto integers = experiment->load(0, Fill::integers);
  left = 0;
  EXPECT_TRUE(experiment->load(0, Fill::floats));
  EXPECT_FALSE(experiment->load(0, Fill::integers));
}

}  // namespace
}  // namespace brickwork
