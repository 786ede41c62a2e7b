#include "kernels/base/aligned_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace brickwork {
namespace {

TEST(AlignedBuffer, IsAlignedAndZero) {
  constexpr std::size_t kHugeFrom = (256 << 10) / sizeof(float);
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, kHugeFrom, std::size_t{1} << 20}) {
    AlignedBuffer<float> buffer(size);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (size < kHugeFrom ? 64 : 1u << 21), 0u);
    for (const float x : buffer) ASSERT_EQ(x, 0.0f);
  }
  EXPECT_EQ(AlignedBuffer<float>().size(), 0u);
  EXPECT_THROW(AlignedBuffer<double>(~std::size_t{0}), std::bad_alloc);
}

TEST(AlignedBuffer, MovesItsMemory) {
  AlignedBuffer<int> from(10);
  from[3] = 7;
  const int* data = from.data();
  const AlignedBuffer<int> to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(to[3], 7);
}

}  // namespace
}  // namespace brickwork
