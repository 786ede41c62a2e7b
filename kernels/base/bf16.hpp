// bfloat16 as a storage type: the upper half of an f32, with 8 bits of exponent and 7 of mantissa. Arithmetic is done
// in f32.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernels/base/host_device.hpp"

namespace brickwork {

struct bf16 {  // NOLINT(readability-identifier-naming): named like float
  std::uint16_t bits;

  bf16() = default;

  // Rounds to nearest, ties to even; overflow becomes infinity. On the host a NaN keeps its sign and the upper bits of
  // its payload, and becomes quiet; a device has a single NaN.
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

// The type in which sums of T are computed.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, bf16>, float, T>;

}  // namespace brickwork
