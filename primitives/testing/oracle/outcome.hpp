// Checks that outputs lie in the intervals that plain loops give.
#pragma once
#include <string>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/testing/oracle/interval.hpp"

namespace brickwork::oracle {

using Intervals = std::vector<Interval>;

// One output: the interval of each element.
struct Outcome {
  std::string name;
  Intervals elements;
};
using Outcomes = std::vector<Outcome>;

// The first element outside its interval, in one sentence; empty if there is none. Throws std::logic_error if an output
// has no outcomes, or outcomes have no output.
std::string difference(const PlainTensors& outputs, const Outcomes&);

}  // namespace brickwork::oracle
