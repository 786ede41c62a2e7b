#include "experiments/learning/listops_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brickwork {
namespace {

TEST(ListOpsTask, ExpressionsBecomeDeeperUntilTheLastEpochsHaveAllDepths) {
  std::vector<int> deepest;
  for (int done = 0; done < 20; ++done) deepest.push_back(listops_deepest(done, 20));
  EXPECT_THAT(deepest, testing::ElementsAre(1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5));
  EXPECT_EQ(listops_deepest(0, 1), 1);
}

TEST(ListOpsTask, TheBaselineAnswersTheCommonestDigit) {
  for (const ListOpsStructure structure : {ListOpsStructure::tree, ListOpsStructure::sequence}) {
    const LearnerPtr learner = learn_listops(structure).begin({.data = "", .brick = {}});
    const ListOpsData data(static_cast<std::size_t>(learner->tested_on()));
    std::vector<std::int64_t> counts(kListOpsDigits);
    for (const std::int32_t value : listops_values(data.test())) ++counts[static_cast<std::size_t>(value)];
    const auto most = static_cast<double>(std::ranges::max(counts));
    EXPECT_EQ(learner->baseline(), most / static_cast<double>(learner->tested_on()));
    EXPECT_LT(learner->baseline(), 0.12);
  }
}

}  // namespace
}  // namespace brickwork
