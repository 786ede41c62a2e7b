// How an elementwise operation goes over memory.
#pragma once
#include <string>
#include <string_view>

#include "kernels/layout/sweep.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// The plan changes no bit of a result. An operation without prefetches treats both kinds of stream alike.
struct ElementwisePlan {
  Sweep sweep = Sweep::cached;

  friend bool operator==(const ElementwisePlan&, const ElementwisePlan&) = default;
};

std::string to_string(const ElementwisePlan&);  // one of kSweeps

// Throws std::invalid_argument with one sentence if the text is not one of kSweeps.
ElementwisePlan parse_elementwise_plan(std::string_view text);

// Stores past the caches if they would not hold the operation's tensors until these are read again.
ElementwisePlan plan_elementwise(double tensor_bytes, const MachineModel&);

std::string elementwise_isa();  // Highway's name of the instruction set that these operations use

}  // namespace brickwork
