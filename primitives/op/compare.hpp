// Is an output right?
#pragma once
#include <string>

#include "plain_tensors.hpp"
#include "result.hpp"

namespace brickwork {

struct Verdict {
  Status status = Status::ok;
  std::string reason;    // one sentence unless ok
  double max_error = 0;  // as the tolerance is
};

// The error that is allowed: of every element, absolute; or of an output as a whole, the root of its mean square beside
// that of the right values, for what amplifies rounding errors in a few elements without limit.
struct Tolerance {
  Tolerance(double error = 0, bool of_whole = false) : value(error), whole(of_whole) {}  // NOLINT

  double value;
  bool whole;
};

// Every element of every output against the right one, which repeats. NaN is wrong whatever the tolerance. Comparing
// nothing, and an output whose right answer is zeros alone, throw std::logic_error: such a check decides nothing.
Verdict compare(const PlainTensors& actual, const PlainTensors& expected, Tolerance);

// Whether an output's right answer is zeros alone, which a kernel that does nothing may get right.
bool decides_nothing(const PlainTensors& expected);

double largest(const PlainTensors&);  // absolute value, of f64

// Fills every output with NaN, so that what is never written shows.
void poison(PlainTensors&);

}  // namespace brickwork
