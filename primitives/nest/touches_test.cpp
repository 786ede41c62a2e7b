#include "primitives/nest/touches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace brickwork {
namespace {

using testing::HasSubstr;

// The matrix product of touches.hpp.
NestTouches product() {
  return {{{.name = "mb", .extent = 4}, {.name = "nb", .extent = 3}, {.name = "kb", .extent = 2}},
          {{"m", 31, 0, 8}, {"n", 9, 1, 3}, {"k", 10, 2, 5}},
          {{"A", Touch::read, {{{{0}}, 0, 31}, {{{2}}, 0, 10}}},
           {"B", Touch::read, {{{{2}}, 0, 10}, {{{1}}, 0, 9}}},
           {"C", Touch::reduce, {{{{0}}, 0, 31}, {{{1}}, 0, 9}}}}};
}

TEST(NestTouches, ALastBlockMayHaveFewerPoints) {
  EXPECT_EQ(misdeclared(product()), "");
  const Axis m = product().axes[0];
  const auto points = [](const Axis& axis, LoopRange iterations) {
    const LoopRange range = points_of(axis, iterations);
    return std::pair(range.begin, range.end);
  };
  EXPECT_EQ(points(m, {1, 2}), std::pair(8L, 16L));
  EXPECT_EQ(points(m, {2, 4}), std::pair(16L, 31L));
  EXPECT_EQ(points(m, {4, 5}), std::pair(31L, 31L));
  EXPECT_EQ(points({"r", 7}, {2, 3}), std::pair(0L, 7L));
}

TEST(NestTouches, AWrongDeclarationHasAReason) {
  const auto expect_wrong = [](const char* what, const std::function<void(NestTouches&)>& change) {
    NestTouches nest = product();
    change(nest);
    EXPECT_THAT(misdeclared(nest), HasSubstr(what));
  };
  expect_wrong("axis 'm' of 33 points in blocks of 8 does not fit the 4 iterations of its loop 'mb'",
               [](NestTouches& n) { n.axes[0].size = 33; });
  expect_wrong("axis 'n' must have a size and a block from 1 to 2^40", [](NestTouches& n) { n.axes[1].block = 0; });
  expect_wrong("axis 'n' must have a size and a block from 1 to 2^40",
               [](NestTouches& n) { n.axes[1].size = (std::int64_t{1} << 40) + 1; });
  expect_wrong("axis 'k' names no loop", [](NestTouches& n) { n.axes[2].loop = 3; });
  expect_wrong("two axes have the loop 'mb'", [](NestTouches& n) { n.axes[1] = n.axes[0]; });
  expect_wrong("tensor 'A' names no axis", [](NestTouches& n) { n.tensors[0].index[0].terms[0].axis = 3; });
  expect_wrong("tensor 'A' has a factor of 0", [](NestTouches& n) { n.tensors[0].index[0].terms[0].factor = 0; });
  expect_wrong("axis 'm' occurs twice in tensor 'A'", [](NestTouches& n) { n.tensors[0].index[1].terms[0].axis = 0; });
  expect_wrong("tensor 'B' has an index of size 0", [](NestTouches& n) { n.tensors[1].index[0].size = 0; });
  expect_wrong("tensor 'B' has an index of size 9, but its bytes must number from 1 to 2^62",
               [](NestTouches& n) { n.tensors[1].index[0].size = std::int64_t{1} << 59; });
  expect_wrong("an element of tensor 'C' must have at least one byte", [](NestTouches& n) { n.tensors[2].bytes = 0; });
  expect_wrong("tensor 'A' is declared twice, with indices or elements of other sizes",
               [](NestTouches& n) { n.tensors[1].name = "A"; });
}

}  // namespace
}  // namespace brickwork
