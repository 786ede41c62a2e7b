#include "primitives/conv/backward/stride_phases.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace brickwork {
namespace {

using Products = std::multiset<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;  // pixel, output, tap

// All products by the definition of the convolution.
Products all_products(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  Products products;
  const std::int64_t outputs = (size + 2 * pad - kernel) / stride + 1;
  for (std::int64_t output = 0; output < outputs; ++output) {
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      const std::int64_t pixel = output * stride + tap - pad;
      if (pixel >= 0 && pixel < size) products.insert({pixel, output, tap});
    }
  }
  return products;
}

TEST(StridePhases, HaveEveryProductOnce) {
  for (std::int64_t size = 1; size <= 9; ++size)
    for (std::int64_t kernel = 1; kernel <= 7; ++kernel)
      for (std::int64_t stride = 1; stride <= 4; ++stride)
        for (std::int64_t pad = 0; pad <= 4; ++pad) {
          if (size + 2 * pad < kernel) continue;
          const std::int64_t outputs = (size + 2 * pad - kernel) / stride + 1;
          Products products;
          std::multiset<std::int64_t> pixels;
          for (const StridePhase& phase : stride_phases(size, kernel, stride, pad)) {
            for (std::int64_t i = 0; i < phase.count; ++i) {
              const std::int64_t pixel = phase.first + i * stride;
              pixels.insert(pixel);
              for (std::int64_t t = 0; t < phase.taps; ++t) {
                const std::int64_t output = i + t - phase.pad;
                const std::int64_t tap = phase.tap + (phase.taps - 1 - t) * stride;
                if (output >= 0 && output < outputs) products.insert({pixel, output, tap});
              }
            }
          }
          std::multiset<std::int64_t> every_pixel;
          for (std::int64_t pixel = 0; pixel < size; ++pixel) every_pixel.insert(pixel);
          EXPECT_EQ(pixels, every_pixel);
          EXPECT_EQ(products, all_products(size, kernel, stride, pad))
              << "size " << size << ", kernel " << kernel << ", stride " << stride << ", pad " << pad;
        }
}

// For a 1x1 kernel of stride 2 three of four phases have no tap; the phase with the tap comes first.
TEST(BackwardPhases, OnePhaseOfAStridedPointwiseKernelHasTaps) {
  const auto phases = backward_phases(parse_problem<ConvProblem>("C64 K128 H56 sh2"));
  ASSERT_EQ(phases.size(), 4);
  EXPECT_TRUE(phases[0].has_taps());
  EXPECT_EQ(phases[0].view.rows, 28);
  EXPECT_EQ(phases[0].view.step_w, 2);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(phases[i].has_taps());
}

// All phases have as many columns of zeros beside ddst's rows as any phase needs on either side.
TEST(BackwardPhases, HaveTheSameZerosBesideRows) {
  for (const auto& [text, room] :
       {std::pair{"C4 K4 H8 R3 ph1", 1}, {"C4 K4 H8 R3", 2}, {"C4 K4 H8", 0}, {"C4 K4 H224 R7 sh2 ph3", 2}}) {
    for (const BackwardPhase& phase : backward_phases(parse_problem<ConvProblem>(text))) {
      EXPECT_EQ(phase.view.room_w, room) << text;
    }
  }
}

}  // namespace
}  // namespace brickwork
