// Random nests, small enough to visit every element: up to five loops of one or two levels, with steps that do not
// divide, two parallel levels, strides, overlapping windows, padding on both sides, epilogues, and tensors of one name.
#pragma once
#include <random>
#include <string>

#include "primitives/analysis/scheduled_nest.hpp"

namespace brickwork {

ScheduledNest random_nest(std::mt19937& random);

// For messages of failed tests.
std::string to_string(const ScheduledNest&);

}  // namespace brickwork
