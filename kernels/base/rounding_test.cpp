// Every bf16, a sample of TF32, and the f32 around each of them: rounding against the definition in double precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/base/bf16.hpp"
#include "kernels/base/tf32.hpp"

namespace brickwork {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

static_assert(std::is_trivially_copyable_v<bf16> && std::is_trivially_default_constructible_v<bf16>);
static_assert(sizeof(bf16) == 2 && alignof(bf16) == 2);
static_assert(bf16(1.0F).bits == 0x3F80 && float(bf16(-2.5F)) == -2.5F && rounded_to_tf32(3.0F) == 3.0F);

float of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// Rounds a finite f32 to a neighbour with `rest_bits` low bits of zero.
enum class Ties { to_even, away_from_zero };
float nearest(std::uint32_t bits, int rest_bits, Ties ties) {
  const std::uint32_t unit = std::uint32_t{1} << rest_bits, below = bits & ~(unit - 1), above = below + unit;
  // The neighbour beyond the largest number counts as 2^128.
  const auto value = [](std::uint32_t x) {
    const double finite = of_bits(x);
    return std::isinf(finite) ? std::copysign(0x1p128, finite) : finite;
  };
  const double x = of_bits(bits), down = std::abs(x - value(below)), up = std::abs(value(above) - x);
  const bool odd = (below / unit) % 2 != 0, take_above = down == up ? ties == Ties::away_from_zero || odd : up < down;
  return of_bits(take_above ? above : below);
}

template <class Rounded>
void expect_nearest(Rounded rounded, std::uint32_t upper, int rest_bits, Ties ties) {
  const std::uint32_t half = std::uint32_t{1} << (rest_bits - 1);
  for (const std::uint32_t rest : {0U, 1U, half - 1, half, half + 1, 2 * half - 1}) {
    const std::uint32_t bits = upper << rest_bits | rest;
    const float wanted = nearest(bits, rest_bits, ties), got = rounded(of_bits(bits));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(wanted)) << std::hex << bits;
  }
}

TEST(Bf16, KeepsItsValuesAndRoundsF32ToNearestEven) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const float value = of_bits(bits << 16);
    if (std::isnan(value)) continue;
    ASSERT_EQ(bf16(value).bits, bits);
    if (std::isinf(value)) continue;
    expect_nearest([](float x) { return float(bf16(x)); }, bits, 16, Ties::to_even);
  }
}

TEST(Bf16, KnownCases) {
  EXPECT_EQ(float(bf16(1.00390625F)), 1.0F);       // 1 + 2^-8, half way to the odd 1 + 2^-7
  EXPECT_EQ(float(bf16(1.01171875F)), 1.015625F);  // 1 + 3 * 2^-8, half way from there to the even 1 + 2^-6
  EXPECT_EQ(float(bf16(0x1.FFp+127F)), kInfinity);
  EXPECT_EQ(float(bf16(0x1.FEFFFEp+127F)), 0x1.FEp+127F);
  EXPECT_TRUE(std::signbit(float(bf16(-0.0F))));
  for (int x = -256; x <= 256; ++x) EXPECT_EQ(float(bf16(static_cast<float>(x))), static_cast<float>(x));
}

// If the payload of a NaN lies in the lower half, the result must not become infinity and must not carry into the sign.
TEST(Bf16, NaNStaysAQuietNaN) {
  for (const std::uint32_t bits : {0x7F800001U, 0x7F80FFFFU, 0x7FFFFFFFU, 0x7FA00000U, 0x7FC00000U}) {
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      const bf16 x(of_bits(bits | sign));
      EXPECT_TRUE(std::isnan(float(x))) << std::hex << bits;
      EXPECT_EQ(x.bits & 0x8040, (sign >> 16) | 0x0040) << std::hex << bits;
      EXPECT_EQ(x.bits & 0x3F, bits >> 16 & 0x3F) << std::hex << bits;
    }
  }
}

TEST(Tf32, RoundsToNearestWithTiesAwayFromZero) {
  for (std::uint32_t upper = 0; upper < 1U << 19; upper += upper % 1024 == 1023 ? 1 : 31) {
    if (!std::isfinite(of_bits(upper << 13))) continue;
    expect_nearest(rounded_to_tf32, upper, 13, Ties::away_from_zero);
  }
}

TEST(Tf32, KnownCases) {
  EXPECT_EQ(rounded_to_tf32(1 + 0x1p-11F), 1 + 0x1p-10F);
  EXPECT_EQ(rounded_to_tf32(-1 - 0x1p-11F), -1 - 0x1p-10F);
  EXPECT_EQ(rounded_to_tf32(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_EQ(rounded_to_tf32(-kInfinity), -kInfinity);
  EXPECT_TRUE(std::signbit(rounded_to_tf32(-0.0F)));
  for (const float nan : {kNaN, -kNaN, of_bits(0x7F800001), of_bits(0xFFFFFFFF)}) {
    EXPECT_TRUE(std::isnan(rounded_to_tf32(nan)));
    EXPECT_EQ(std::signbit(rounded_to_tf32(nan)), std::signbit(nan));
  }
  for (int x = -2048; x <= 2048; ++x) {
    EXPECT_EQ(rounded_to_tf32(static_cast<float>(x)), static_cast<float>(x));
  }
}

}  // namespace
}  // namespace brickwork
