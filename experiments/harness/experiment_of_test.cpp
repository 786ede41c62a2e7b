#include "experiment_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_experiment.hpp"

namespace brickwork {
namespace {

using testing::ElementsAre;

std::vector<std::string> chosen(const std::vector<std::string>& named, bool all) {
  const std::vector<Contender<FakeOp>> table = {contender({"first", right_answer}),
                                                contender({.name = "slow", .run = right_answer, .slow = true}),
                                                contender({"last", right_answer})};
  std::vector<std::string> names;
  for (const auto& contender : experiment_of::choose_contenders(table, named, all)) names.push_back(contender.name);
  return names;
}

TEST(ChooseContenders, TakesAllButTheSlowOnesUnlessTheyAreNamed) {
  EXPECT_THAT(chosen({}, false), ElementsAre("first", "last"));
  EXPECT_THAT(chosen({}, true), ElementsAre("first", "slow", "last"));
  EXPECT_THAT(chosen({"last", "slow"}, false), ElementsAre("slow", "last"));
  EXPECT_THAT(chosen({"last"}, true), ElementsAre("last"));
  EXPECT_THROW(chosen({"lost"}, false), std::invalid_argument);
}

// A tensor is `size` rows of 64 floats, there are two of them, and the right answer's, in double, stop at 3 rows.
TEST(MemoryOf, CountsTheTensorsTheAnswerAndEveryContenderAtOnce) {
  const double row = 64 * sizeof(float);
  EXPECT_EQ(experiment_of::memory_of<FakeOp>({.size = 1}, 1), 2 * row * (1 + 1) + 2 * row * 2);
  EXPECT_EQ(experiment_of::memory_of<FakeOp>({.size = 100}, 1), 2 * row * 100 * (1 + 1) + 2 * row * 2 * 3);
  EXPECT_EQ(experiment_of::memory_of<FakeOp>({.size = 100}, 7), 2 * row * 100 * (1 + 7) + 2 * row * 2 * 3);
}

// Has as many contenders as the machine's memory is exceeded by together, and not by one alone. Nothing is allocated.
TEST(MemoryOf, RefusesContendersThatDoNotFitBesideEachOther) {
  const auto size = machine().memory_bytes / (2 * 64 * 4) / 4;
  std::vector<Contender<FakeOp>> contenders(5, contender({"one", right_answer}));
  const auto load = [&](bool one_by_one) {
    const ExperimentOf<FakeOp> experiment(
        {.shapes = {}, .shapes_size = 0, .problems = {{.name = "large", .size = size, .terms = 1 << 25}}}, contenders,
        Resources{1}, one_by_one);
    return experiment.load(0, Fill::integers).reason();
  };
  EXPECT_THAT(load(false), testing::StartsWith("large needs at least "));
  EXPECT_THAT(load(true), testing::StartsWith("an output is the sum of "));  // refused for another reason
  for (std::size_t c = 1; c < 5; ++c) contenders[c].library.absent = "not here";
  EXPECT_THAT(load(false), testing::StartsWith("an output is the sum of "));
}

}  // namespace
}  // namespace brickwork
