#include "primitives/nest/touches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace brickwork {
namespace {

using testing::HasSubstr;

// Rows of a picture in blocks of four, each read with the row before and the row after.
NestTouches rows() {
  return {{{"i", 5}, {"j", 2}},
          {{"row", 18, 0, 4}, {"window", 3}, {"column", 2, 1}},
          {{"picture", Touch::read, {{{{0}, {1}}, -1, 18}, {{{2}}, 0, 2}}}, {"sum", Touch::write, {{{{0}}, 0, 18}}}}};
}

template <class Change>
std::string after(const Change& change) {
  NestTouches nest = rows();
  change(nest);
  return misdeclared(nest);
}

TEST(Touches, ARightDeclarationHasNoSentence) {
  EXPECT_EQ(misdeclared(rows()), "");
  EXPECT_EQ(misdeclared({}), "");
  EXPECT_EQ(after([](auto& nest) { nest.tensors.push_back(nest.tensors[0]); }), "");
}

TEST(Touches, EachMistakeHasASentence) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(after([](auto& nest) { nest.axes[0].size = 21; }),
            "axis 'row' of 21 points in blocks of 4 does not fit the 5 iterations of its loop 'i'");
  EXPECT_THAT(after([](auto& nest) { nest.axes[0].size = 16; }), HasSubstr("does not fit"));
  EXPECT_THAT(after([](auto& nest) { nest.axes[0].size = 0; }), HasSubstr("from 1 to 2^40"));
  EXPECT_THAT(after([](auto& nest) { nest.axes[0].block = 0; }), HasSubstr("from 1 to 2^40"));
  EXPECT_THAT(after([](auto& nest) { nest.axes[1].size = kLargest; }), HasSubstr("from 1 to 2^40"));
  EXPECT_EQ(after([](auto& nest) { nest.axes[0].loop = 2; }), "axis 'row' names no loop");
  EXPECT_EQ(after([](auto& nest) { nest.axes[0].loop = -2; }), "axis 'row' names no loop");
  EXPECT_EQ(after([](auto& nest) { nest.axes[1] = {"window", 5, 0}; }), "two axes have the loop 'i'");
  EXPECT_EQ(after([](auto& nest) { nest.tensors[1].index[0].terms[0].axis = 3; }), "tensor 'sum' names no axis");
  EXPECT_EQ(after([](auto& nest) { nest.tensors[0].index[0].terms[1].factor = 0; }),
            "tensor 'picture' has a factor of 0; it must be positive");
  EXPECT_EQ(after([](auto& nest) { nest.tensors[0].index[1].terms[0].axis = 0; }),
            "axis 'row' occurs twice in tensor 'picture'; one index must have it alone");
  EXPECT_THAT(after([](auto& nest) { nest.tensors[1].index[0].size = 0; }),
              HasSubstr("tensor 'sum' has an index of size 0"));
  EXPECT_THAT(after([](auto& nest) { nest.tensors[0].index[0].size = kLargest / 4; }), HasSubstr("from 1 to 2^62"));
  EXPECT_EQ(after([](auto& nest) { nest.tensors[1].bytes = 0; }), "an element of tensor 'sum' has 0 bytes");
}

TEST(Touches, AnIndexStaysFarFrom64Bits) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const auto with = [](std::int64_t offset, std::int64_t factor) {
    return after([&](auto& nest) { nest.tensors[1].index[0] = {{{0, factor}}, offset, 18}; });
  };
  const std::string sentence = "an index of tensor 'sum' takes values beyond 2^60";
  for (const std::int64_t offset : {kLeast, -(std::int64_t{1} << 60), std::int64_t{1} << 60, -(kLeast + 1)}) {
    EXPECT_EQ(with(offset, 1), sentence) << offset;
  }
  EXPECT_EQ(with(0, -(kLeast + 1)), sentence);
  EXPECT_EQ(with(0, (std::int64_t{1} << 60) / 17 + 1), sentence);
  EXPECT_EQ(with(0, (std::int64_t{1} << 60) / 17), "");
  EXPECT_EQ(with(-(std::int64_t{1} << 59), 1), "");
}

TEST(Touches, TensorsOfOneNameAreOneTensor) {
  const std::string sentence = "the tensors 'picture' must have equal sizes and bytes, as they are one tensor";
  const auto with = [](const auto& change) {
    return after([&](auto& nest) {
      nest.tensors.push_back(nest.tensors[0]);
      change(nest.tensors.back());
    });
  };
  EXPECT_EQ(with([](auto& tensor) { tensor.index[0].offset = 1, tensor.touch = Touch::write; }), "");
  EXPECT_EQ(with([](auto& tensor) { tensor.index[1].size = 3; }), sentence);
  EXPECT_EQ(with([](auto& tensor) { tensor.index.pop_back(); }), sentence);
  EXPECT_EQ(with([](auto& tensor) { tensor.bytes = 2; }), sentence);
}

TEST(Touches, ACallCoversTheBlocksOfItsIterationsWithoutWhatIsBeyondTheEnd) {
  const Axis axis{"row", 18, 0, 4};
  const auto covers = [&](const LoopRange& iterations, std::int64_t begin, std::int64_t end) {
    const LoopRange points = points_of(axis, iterations);
    EXPECT_TRUE(points.begin == begin && points.end == end) << points.begin << " to " << points.end;
  };
  covers({0, 1}, 0, 4);
  covers({3, 5}, 12, 18);
  covers({5, 6}, 18, 18);
  const LoopRange window = points_of({"window", 3}, {7, 9});
  EXPECT_TRUE(window.begin == 0 && window.end == 3);
}

}  // namespace
}  // namespace brickwork
