// Is an output right?
#pragma once
#include <span>
#include <string>

#include "kernels/base/result.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork {

struct Verdict {
  Status status = Status::ok;
  std::string reason;    // one sentence unless ok
  double max_error = 0;  // as the tolerance is
};

// The error that is allowed: of every element, absolute; or of an output as a whole, the root of its mean square beside
// that of the right values (absolute where these are all 0), for what amplifies rounding errors in a few elements
// without limit.
struct Tolerance {
  Tolerance(double error = 0, bool of_whole = false) : value(error), whole(of_whole) {}  // NOLINT

  double value;
  bool whole;
};

// Every element of every output against the right one, which repeats. NaN is wrong whatever the tolerance. Comparing
// nothing throws std::logic_error.
Verdict compare(const PlainTensors& actual, const PlainTensors& expected, Tolerance);

// Whether a right answer is zeros alone, as fresh memory is that nobody wrote; false of none. Whether an output's is.
bool is_zeros(std::span<const double> right);
bool has_output_of_zeros(const PlainTensors& expected);

// Of outputs whose right answer is zeros alone: what a run made of inputs of NaN, beside what the definition makes of
// them. An element that is NaN by definition and still 0 has not been written.
Verdict compare_written(const PlainTensors& actual, const PlainTensors& of_nan, const PlainTensors& expected);

double largest(const PlainTensors&);  // absolute value, of f64

// Fills every tensor of floats with NaN, so that an output that is never written shows. Integers stay.
void poison(PlainTensors&);

void fill_with_zeros(PlainTensors&);  // of f64

}  // namespace brickwork
