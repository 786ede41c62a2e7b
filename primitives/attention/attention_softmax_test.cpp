#include "primitives/attention/attention_softmax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/testing/only_target.hpp"

namespace brickwork {
namespace {

constexpr float kMostFloat = std::numeric_limits<float>::max(), kInfinity = std::numeric_limits<float>::infinity();
constexpr float kFactors[] = {1, 0.12403473F, 0.03125F};  // 1 / sqrt(K) for K = 1, 65 and 1024

struct Columns {
  std::int64_t rows, width;
  std::vector<float> values;

  float at(std::int64_t r, std::int64_t column) const { return values[static_cast<std::size_t>(r * width + column)]; }
};

Columns chosen_columns(std::int64_t rows, std::int64_t width, const std::vector<float>& from, std::uint32_t seed) {
  std::minstd_rand random(seed);
  Columns c{rows, width, std::vector<float>(static_cast<std::size_t>(rows * width))};
  for (float& x : c.values) x = from[random() / 7 % from.size()];
  return c;
}

Columns softmax_of(Columns c, float scale) {
  softmax_columns(c.values.data(), c.rows, c.width, scale);
  return c;
}

std::vector<double> softmax_of_column(const Columns& c, std::int64_t column, double scale) {
  std::vector<double> weights;
  for (std::int64_t r = 0; r < c.rows; ++r) weights.push_back(scale * double{c.at(r, column)});
  const double max = std::ranges::max(weights);
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - max);
  for (double& weight : weights) weight /= sum;
  return weights;
}

void expect_softmax_columns(const Columns& scores, float scale) {
  const Columns weights = softmax_of(scores, scale);
  for (std::int64_t column = 0; column < scores.width; ++column) {
    const std::vector<double> right = softmax_of_column(scores, column, scale);
    for (std::int64_t r = 0; r < scores.rows; ++r) {
      const double expected = right[static_cast<std::size_t>(r)];
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(weights.at(r, column))) << scores.at(r, column);
      } else {
        ASSERT_NEAR(weights.at(r, column), expected, 1e-6)
            << scores.at(r, column) << " in row " << r << " of " << scores.rows << ", column " << column;
      }
    }
  }
}

std::vector<float> with_negatives(std::vector<float> x) {
  for (std::size_t i = 0, size = x.size(); i < size; ++i) x.push_back(-x[i]);
  return x;
}

// If the maximum missed a row, the exponential of a larger score would overflow f32.
TEST(AttentionSoftmax, FindsTheLargestScoreInEveryRow) {
  for_every_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const std::int64_t rows : {1, 2, 3, 4, 7, 16, 33})
      for (std::int64_t place = 0; place < rows; ++place)
        for (const auto& [largest, others] : {std::pair(0.0F, -1000.0F),
                                              {2000, 0},
                                              {1e15F, -1e15F},
                                              {-1e30F, -3e38F},
                                              {3e38F, 1e30F},
                                              {kMostFloat, -kMostFloat}}) {
          Columns scores{rows, 16, std::vector<float>(static_cast<std::size_t>(rows * 16), others)};
          for (std::int64_t column = 0; column < 16; ++column)
            scores.values[static_cast<std::size_t>((place + column) % rows * 16 + column)] = largest;
          const Columns weights = softmax_of(scores, 0.12403473F);
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t column = 0; column < 16; ++column)
              ASSERT_EQ(weights.at(r, column), (place + column) % rows == r ? 1 : 0)
                  << largest << " above " << others << " in row " << place << " of " << rows << ", column " << column;
        }
  });
}

TEST(AttentionSoftmax, IsRightForScoresOfEverySize) {
  const std::vector<float> any = with_negatives({0, 1e-45F, 1e-40F, 1e-30F, 0.5F, 1, 3, 40, 87, 300, 1e4F, 1e15F, 1e30F,
                                                 3e38F, kMostFloat}),
                           small = with_negatives({0, 1e-45F, 1e-40F, 1e-30F, 0.5F, 1, 3, 40, 87});
  // Neighbours that differ by less than their scaled values are rounded.
  const std::vector<float> close{1e15F, std::nextafter(1e15F, 0.0F), 1e4F, std::nextafter(1e4F, 0.0F)};
  for_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    for (const float scale : kFactors)
      for (const auto& from : {any, small, close})
        for (const std::int64_t rows : {1, 2, 5, 40})
          expect_softmax_columns(chosen_columns(rows, 48, from, static_cast<std::uint32_t>(rows)), scale);
  });
}

TEST(AttentionSoftmax, GivesTheNansAndInfinitiesOfTheDefinition) {
  for_every_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const float special : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity})
      for (std::int64_t place = 0; place < 3; ++place) {
        Columns scores = chosen_columns(3, 16, {0, 1, -1e30F}, 1);
        scores.values[static_cast<std::size_t>(place * 16 + 5)] = special;
        expect_softmax_columns(scores, 0.125F);
        Columns equal{3, 16, std::vector<float>(48, special)};
        expect_softmax_columns(equal, 0.125F);
      }
  });
}

TEST(AttentionSoftmax, GradientsAreRightForEverySize) {
  const std::vector<float> scores = with_negatives({0, 1, 3, 40, 1e15F});
  for_every_target([&](const char* target) {
    SCOPED_TRACE(target);
    for (const float scale : kFactors)
      for (const auto& from : {with_negatives({0, 1, 3}), with_negatives({1e-40F, 1e-30F}),
                               with_negatives({0, 1, 1e15F, 1e30F}), with_negatives({3e38F})})
        for (const std::int64_t rows : {1, 2, 3, 40}) {
          const Columns y = softmax_of(chosen_columns(rows, 32, scores, static_cast<std::uint32_t>(rows)), scale);
          const Columns given = chosen_columns(rows, 32, from, static_cast<std::uint32_t>(rows + 1));
          Columns dx = given;
          softmax_columns_backward(y.values.data(), dx.values.data(), rows, 32, scale);
          for (std::int64_t column = 0; column < 32; ++column) {
            double mean = 0, largest = 0;
            for (std::int64_t r = 0; r < rows; ++r) {
              mean += double{y.at(r, column)} * double{given.at(r, column)};
              largest = std::max(largest, std::abs(double{given.at(r, column)}));
            }
            for (std::int64_t r = 0; r < rows; ++r) {
              const double weight = double{scale} * double{y.at(r, column)};
              ASSERT_NEAR(dx.at(r, column), weight * (double{given.at(r, column)} - mean),
                          4e-6 * weight * largest + 1e-44)
                  << given.at(r, column) << " of weight " << y.at(r, column) << ", mean " << mean;
            }
          }
        }
  });
}

}  // namespace
}  // namespace brickwork
