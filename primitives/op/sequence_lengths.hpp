// Sequences of unequal length in a minibatch: what recurrent layers and attention have in common.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// Shorter sequences stand at the beginning of all steps.
enum class SequenceLengths { equal, unequal };

// The word of a problem's table.
template <class Problem>
Word<Problem> lengths_word() {
  return choice("lengths: equal or unequal", {"equal", "unequal"}, &Problem::lengths, "lengths");
}

// The tensor [N] that says them where they are unequal.
template <class Problem>
TensorInfo lengths_of(const Problem& p) {
  return {.name = "lengths", .dims = dims_if(p.unequal(), {p.N}), .per_image = true, .dtype = DType::i32};
}

// Makes random values from [-1, 1) lengths from 1 to `steps`, where there are any.
inline void settle_lengths(PlainTensors& in, std::int64_t steps) {
  for (double& x : in.values<double>("lengths")) x = 1 + std::floor((x + 1) / 2 * static_cast<double>(steps));
}

// Throws std::invalid_argument with one sentence where a sequence is not 1 to `steps` long, the problem's size `key`.
// Definitions have lengths in f64.
template <class Number>
void check_lengths(std::span<const Number> lengths, std::int64_t steps, std::string_view key) {
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] >= 1 && lengths[n] <= static_cast<Number>(steps)) continue;
    size_table::refuse("sequence {} is {} steps long: each must be from 1 to {} = {}", n, lengths[n], key, steps);
  }
}

}  // namespace brickwork
