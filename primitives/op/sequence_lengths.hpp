// Sequences of unequal length in a minibatch, for recurrent layers and attention.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// A sequence starts at step 0; a shorter one ends before the last step.
enum class SequenceLengths { equal, unequal };

// The lengths as a word of a problem's table.
template <class Problem>
Word<Problem> lengths_word() {
  return choice("lengths: equal or unequal", {"equal", "unequal"}, &Problem::lengths, "lengths");
}

// The lengths tensor, [N] i32, which exists only if they are unequal.
template <class Problem>
TensorInfo lengths_of(const Problem& p) {
  return {.name = "lengths", .dims = dims_if(p.unequal(), {p.N}), .per_image = true, .dtype = DType::i32};
}

// Turns random values from [-1, 1) into lengths from 1 to `steps`, if there is a lengths tensor.
inline void settle_lengths(PlainTensors& in, std::int64_t steps) {
  for (double& x : in.values<double>("lengths")) x = 1 + std::floor((x + 1) / 2 * static_cast<double>(steps));
}

// Throws std::invalid_argument with one sentence if a length is not from 1 to `steps`; `key` names the size in the
// message. Number is double in definitions, where lengths are f64.
template <class Number>
void check_lengths(std::span<const Number> lengths, std::int64_t steps, std::string_view key) {
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] >= 1 && lengths[n] <= static_cast<Number>(steps)) continue;
    size_table::refuse("sequence {} is {} steps long: each must be from 1 to {} = {}", n, lengths[n], key, steps);
  }
}

}  // namespace brickwork
