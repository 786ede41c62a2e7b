// TF32, the format in which NVIDIA's tensor cores multiply f32: 8 bits of exponent and 10 of mantissa, stored in an f32
// with 13 ignored last bits.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// Rounds to nearest, ties away from zero, as PTX's cvt.rna.tf32.f32; overflow becomes infinity. A NaN keeps its sign
// and the upper bits of its payload, and becomes quiet.
BRICKWORK_HOST_DEVICE constexpr float rounded_to_tf32(float value) {
  constexpr std::uint32_t magnitude = 0x7FFFFFFF, infinity = 0x7F800000, quiet = 0x00400000, kept = 0xFFFFE000;
  const std::uint32_t f32 = __builtin_bit_cast(std::uint32_t, value);
  const bool nan = (f32 & magnitude) > infinity;
  return __builtin_bit_cast(float, (nan ? f32 | quiet : f32 + 0x1000) & kept);
}

}  // namespace brickwork
