#include "experiments/learning/adding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "experiments/learning/clip.hpp"

namespace brickwork {
namespace {

TEST(Adding, OneStepOfEachHalfIsMarkedAndTheirNumbersAreAdded) {
  constexpr std::int64_t kT = 5, kN = 200;
  Random random(1);
  const AddingSequences made = make_adding(kT, kN, random);
  std::set<std::int64_t> first, second;
  for (std::int64_t n = 0; n < kN; ++n) {
    float sum = 0;
    std::vector<std::int64_t> marked;
    for (std::int64_t t = 0; t < kT; ++t) {
      const float* const x = made.x.data() + (t * kN + n) * 2;
      EXPECT_TRUE(x[0] >= 0 && x[0] <= 1 && (x[1] == 0 || x[1] == 1));
      if (x[1] == 0) continue;
      marked.push_back(t);
      sum += x[0];
    }
    ASSERT_EQ(marked.size(), 2U);
    first.insert(marked[0]);
    second.insert(marked[1]);
    EXPECT_EQ(made.sums[static_cast<std::size_t>(n)], sum);
  }
  EXPECT_THAT(first, testing::ElementsAre(0, 1));
  EXPECT_THAT(second, testing::ElementsAre(2, 3, 4));
}

// The sum of two uniform numbers from 0 to 1 has mean 1 and variance 1/6.
TEST(Adding, TheErrorOfAlwaysAnsweringOneIsTheVariance) {
  Random random(1);
  const AddingSequences made = make_adding(2, 20000, random);
  const std::vector<float> ones(made.sums.size(), 1.0F);
  std::vector<float> gradient(ones.size());
  EXPECT_NEAR(squared_error(ones.data(), made.sums, gradient.data()), 1.0 / 6, 0.003);
}

TEST(Adding, TheGradientIsTheDerivativeOfTheError) {
  const float outputs[] = {1.5F, 0.25F};
  float gradient[2];
  EXPECT_EQ(squared_error(outputs, {1, 1}, gradient), (0.25 + 0.5625) / 2);
  EXPECT_THAT(gradient, testing::ElementsAre(0.5F, -0.75F));
}

TEST(Clip, LongGradientsAreScaledDownToTheNormAndShortOnesStay) {
  std::vector<float> gradients{3, -4};
  EXPECT_EQ(clip_by_norm(gradients, 6), 5);
  EXPECT_THAT(gradients, testing::ElementsAre(3, -4));
  EXPECT_EQ(clip_by_norm(gradients, 2.5), 5);
  EXPECT_THAT(gradients, testing::ElementsAre(1.5F, -2));
}

}  // namespace
}  // namespace brickwork
