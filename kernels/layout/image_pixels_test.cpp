#include "kernels/layout/image_pixels.hpp"

#include <gtest/gtest.h>

namespace brickwork {
namespace {

TEST(ImagePixels, AreEquallySpacedWithoutImages) { EXPECT_EQ(ImagePixels().place(7, 5), 35); }

// Two images of 2 x 3 pixels, with gaps between rows and between images.
TEST(ImagePixels, FollowImagesRowsAndColumns) {
  const ImagePixels pixels{.cols = 3, .rows = 2, .row = 100, .image = 1000};
  const std::int64_t expected[] = {0, 4, 8, 100, 104, 108, 1000, 1004, 1008, 1100, 1104, 1108};
  for (int x = 0; x < 12; ++x) EXPECT_EQ(pixels.place(x, 4), expected[x]) << x;
}

TEST(ImagePixels, NeedNoRowDistanceIfAnImageIsOneRow) {
  const ImagePixels pixels{.cols = 6, .rows = 1, .image = 1000};
  EXPECT_EQ(pixels.place(5, 4), 20);
  EXPECT_EQ(pixels.place(6, 4), 1000);
  EXPECT_EQ(pixels.place(19, 4), 3004);
}

// Pixel numbers near the limit of the 32-bit division, offsets beyond 32 bits.
TEST(ImagePixels, MayBeFarApart) {
  const ImagePixels pixels{.cols = 112, .rows = 112, .row = 1 << 20, .image = std::int64_t{1} << 32};
  EXPECT_EQ(pixels.place(2'000'000'000, 64),
            (2'000'000'000LL / 12544 << 32) + (2'000'000'000LL / 112 % 112 << 20) + 2'000'000'000LL % 112 * 64);
}

}  // namespace
}  // namespace brickwork
