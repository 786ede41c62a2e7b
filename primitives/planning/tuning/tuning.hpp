// The text form of the simd brick's tuning.
#pragma once
#include "kernels/cpu/simd/simd_tuning.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// Text form: "ahead=16 few=32 spread=registers tiles=tall far=prefetch src=runs narrow reduction=deep pixels=few
// sums=whole sweep=stream". Missing words have their default.
struct Tuning : SimdTuning {
  static const SizeTable<Tuning>& table();
};

// Throws std::invalid_argument with one sentence.
SimdTuning parse_tuning(std::string_view text);
std::string to_string(const SimdTuning&);

}  // namespace brickwork
