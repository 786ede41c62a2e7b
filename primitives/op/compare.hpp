// Compares a contender's outputs with the right ones.
#pragma once
#include <span>
#include <string>

#include "kernels/base/result.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork {

struct Verdict {
  Status status = Status::ok;
  std::string reason;    // one sentence unless ok
  double max_error = 0;  // largest error, in the tolerance's measure
};

// The allowed error. By default it is absolute and holds for each element. With `of_whole` it holds for an output as a
// whole: the root mean square of the errors divided by that of the right values (not divided if these are all 0).
// Operations that amplify rounding errors of a few elements without limit use it.
struct Tolerance {
  Tolerance(double error = 0, bool of_whole = false) : value(error), whole(of_whole) {}  // NOLINT

  double value;
  bool whole;
};

// Compares every element of every output with the right one. `expected` may hold fewer images; they repeat. NaN is
// wrong whatever the tolerance. Throws std::logic_error if there is nothing to compare.
Verdict compare(const PlainTensors& actual, const PlainTensors& expected, Tolerance);

// Whether all right values are zero, as in memory that was never written; false if there are no values.
bool is_zeros(std::span<const double> right);
bool has_output_of_zeros(const PlainTensors& expected);

// Checks outputs whose right answer is all zeros. `actual` comes from a run on inputs of NaN, `of_nan` from the
// definition on inputs of NaN. An element that is NaN in `of_nan` and 0 in `actual` was not written.
Verdict compare_written(const PlainTensors& actual, const PlainTensors& of_nan, const PlainTensors& expected);

double largest(const PlainTensors&);  // the largest absolute value; the tensors are f64

// Fills every floating-point tensor with NaN, so that an output that is never written shows. Integers stay.
void poison(PlainTensors&);

void fill_with_zeros(PlainTensors&);  // the tensors are f64

}  // namespace brickwork
