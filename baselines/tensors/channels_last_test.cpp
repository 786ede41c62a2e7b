#include "baselines/tensors/channels_last.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "kernels/base/bf16.hpp"

namespace brickwork {
namespace {

std::vector<float> counted(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

TEST(ChannelOrder, PutsChannelsInnermost) {
  std::vector<float> ordered(12);
  ChannelOrder{.rows = 2, .channels = 3, .pixels = 2, .channels_last = true}.reorder(counted(12).data(),
                                                                                     ordered.data());
  EXPECT_EQ(ordered, (std::vector<float>{1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 12}));
}

TEST(ChannelOrder, KeepsPlainTensorsInTheirOrder) {
  std::vector<float> ordered(12);
  ChannelOrder{.rows = 2, .channels = 3, .pixels = 2, .channels_last = false}.reorder(counted(12).data(),
                                                                                      ordered.data());
  EXPECT_EQ(ordered, counted(12));
}

TEST(ChannelOrder, RestoresWhatItReordered) {
  for (const bool channels_last : {false, true}) {
    const ChannelOrder order{.rows = 3, .channels = 5, .pixels = 7, .channels_last = channels_last};
    std::vector<bf16> ordered(105);
    std::vector<float> restored(105);
    order.reorder(counted(105).data(), ordered.data());
    order.restore(ordered.data(), restored.data());
    EXPECT_EQ(restored, counted(105));
  }
}

TEST(ChannelOrder, RoundsToItsType) {
  const std::vector<float> between{257};  // half way between 256 and 258
  std::vector<bf16> ordered(1);
  ChannelOrder{1, 1, 1, false}.reorder(between.data(), ordered.data());
  EXPECT_EQ(static_cast<float>(ordered[0]), 256);
}

}  // namespace
}  // namespace brickwork
