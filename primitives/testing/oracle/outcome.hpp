// Whether outputs lie in the intervals that plain loops give.
#pragma once
#include <string>
#include <vector>

#include "primitives/op/plain_tensors.hpp"
#include "primitives/testing/oracle/interval.hpp"

namespace brickwork::oracle {

using Intervals = std::vector<Interval>;

// One output: what each of its elements may be.
struct Outcome {
  std::string name;
  Intervals elements;
};
using Outcomes = std::vector<Outcome>;

// The first element that is none of what it may be, in one sentence, or nothing. An output that has outcomes and is not
// there, or the other way round, throws std::logic_error.
std::string difference(const PlainTensors& outputs, const Outcomes&);

}  // namespace brickwork::oracle
