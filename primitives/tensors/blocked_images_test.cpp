#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "primitives/testing/spoilt_images.hpp"

namespace brickwork {
namespace {

constexpr ActivationLayout kLayout{.N = 2, .C = 3, .H = 2, .W = 3, .pad_w = 1, .bc = 2};

TEST(BlockedTensor, RefusesOtherSizes) {
  BlockedImages images(kLayout);
  EXPECT_NO_THROW(images.input().expect(2, 3, 2, 3, 2));
  for (const auto& [N, C, H, W, bc] :
       {std::tuple{1, 3, 2, 3, 2}, {2, 4, 2, 3, 2}, {2, 3, 3, 3, 2}, {2, 3, 2, 2, 2}, {2, 3, 2, 3, 1}}) {
    EXPECT_THROW(images.input().expect(N, C, H, W, bc), std::logic_error);
  }
  EXPECT_THROW(BlockedInput().expect(1, 1, 1, 1, 1), std::logic_error);
}

// The check of drivers' outputs must find each kind of fault.
TEST(SpoiltImages, FindForbiddenWrites) {
  SpoiltImages images(kLayout);
  const BlockedOutput to = images.output();
  EXPECT_NE(images.fault(), "") << "the padding features were not written";
  for (std::int64_t n = 0; n < 2; ++n)
    for (std::int64_t h = 0; h < 2; ++h)
      for (std::int64_t w = 0; w < 3; ++w) to.data[kLayout.index(n, 3, h, w)] = 0;
  EXPECT_EQ(images.fault(), "");
  to.data[kLayout.pixel(1, 0, 1, 3)] = 0;
  EXPECT_EQ(images.fault(), "a column beside the rows was written");
}

}  // namespace
}  // namespace brickwork
