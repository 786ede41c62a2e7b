// bfloat16 as a type of storage: the upper half of an f32, 8 bits of exponent and 7 of mantissa. Whoever computes does
// so in f32.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/base/host_device.hpp"

namespace brickwork {

struct bf16 {  // NOLINT(readability-identifier-naming): a type as float is
  std::uint16_t bits;

  bf16() = default;

  // To nearest, ties to even; what is beyond the largest number becomes infinity. A NaN keeps its sign and what fits of
  // its payload, and is quiet; a device has one NaN.
  BRICKWORK_HOST_DEVICE constexpr explicit bf16(float value)
      : bits(rounded(__builtin_bit_cast(std::uint32_t, value))) {}

  // Exact.
  BRICKWORK_HOST_DEVICE constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  }

 private:
  BRICKWORK_HOST_DEVICE static constexpr std::uint16_t rounded(std::uint32_t f32) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (!__builtin_is_constant_evaluated()) {
      std::uint16_t bits = 0;
      asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(__builtin_bit_cast(float, f32)));
      return bits;
    }
#endif
    constexpr std::uint32_t magnitude = 0x7FFFFFFF, infinity = 0x7F800000, quiet = 0x0040;
    if ((f32 & magnitude) > infinity) return static_cast<std::uint16_t>(f32 >> 16 | quiet);
    const std::uint32_t odd = f32 >> 16 & 1;
    return static_cast<std::uint16_t>((f32 + 0x7FFF + odd) >> 16);
  }
};

// What sums of T are computed in.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, bf16>, float, T>;

}  // namespace brickwork
