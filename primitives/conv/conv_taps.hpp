// Which output pixels of a row a filter's taps reach, so that a driver may leave out what would only meet padding.
#pragma once
#include <vector>

#include "conv/conv_problem.hpp"

namespace brickwork {

// Taps first .. first + count - 1 of a filter row meet the image at output pixels begin .. end - 1, and nowhere else.
struct TapGroup {
  std::int64_t first, count;
  std::int64_t begin, end;

  std::int64_t pixels() const { return end - begin; }
  friend bool operator==(const TapGroup&, const TapGroup&) = default;
};

// All taps of a filter row, neighbours with equal reach in one group, the widest group first. Groups that reach no
// pixel are left out.
std::vector<TapGroup> tap_groups(const ConvProblem&);

}  // namespace brickwork
