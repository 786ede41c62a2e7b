#include "memory_read.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/only_target.hpp"

namespace brickwork {
namespace {

TEST(MemoryRead, ReadsEveryElementOnce) {
  for_every_target([](const char* name) {
    for (const int threads : {1, 2, 3}) {
      for (const std::int64_t size : {0, 1, 127, 128, 1000}) {
        MemoryRead read(threads, size * 4);
        EXPECT_EQ(read.isa(), name);
        ASSERT_EQ(read.array().size(), static_cast<std::size_t>(size));
        std::ranges::fill(read.array(), 1.0F);
        EXPECT_EQ(read.run(), static_cast<float>(size)) << name << ", " << threads << " threads";
      }
    }
  });
}

TEST(MemoryRead, LeavesNoElementOut) {
  MemoryRead read(2, 300 * 4);
  for (std::size_t i = 0; i < read.array().size(); ++i) {
    std::ranges::fill(read.array(), 0.0F);
    read.array()[i] = 1;
    EXPECT_EQ(read.run(), 1) << i;
  }
}

}  // namespace
}  // namespace brickwork
