// The simd brick's tuning as a value that is printed, read and compared.
#pragma once
#include "simd_tuning.hpp"
#include "size_table.hpp"

namespace brickwork {

// Text form: "one=28 two=14 three=9 four=6 ahead=16 few=32 kept=32 steps=0 unroll=640 block=64 whole
// spread=registers code=generated far=prefetch src=runs narrow reduction=deep pixels=few strided=read sums=whole
// sweep=stream"; what a text leaves out has its default.
struct Tuning : SimdTuning {
  static const SizeTable<Tuning>& table();
};

// Throws std::invalid_argument with one sentence.
SimdTuning parse_tuning(std::string_view text);
std::string to_string(const SimdTuning&);

}  // namespace brickwork
