#include "kernels/testing/guarded_buffer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace brickwork {
namespace {

// write() to a pipe tells whether a byte is readable, without a fault.
bool readable(const void* byte) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return false;
  const bool written = write(ends[1], byte, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return written;
}

TEST(GuardedBuffer, EndsWhereNobodyMayRead) {
  for (const std::size_t size : {1, 7, 4096, 5000}) {
    GuardedBuffer<std::uint8_t> bytes(size);
    GuardedBuffer<float> floats(size);
    EXPECT_TRUE(readable(bytes.data()) && readable(bytes.data() + size - 1));
    EXPECT_FALSE(readable(bytes.data() + size));
    EXPECT_TRUE(readable(floats.data() + size - 1));
    EXPECT_FALSE(readable(floats.data() + size));
    EXPECT_EQ(floats.values().size(), size);
    EXPECT_EQ(floats.values().back(), 0);
  }
}

}  // namespace
}  // namespace brickwork
