// How an operation that treats each element alike goes over memory.
#pragma once
#include <string>
#include <string_view>

#include "kernels/layout/sweep.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// It changes no bit of any result. An operation that asks for nothing ahead takes both kinds of stream for the same.
struct ElementwisePlan {
  Sweep sweep = Sweep::cached;

  friend bool operator==(const ElementwisePlan&, const ElementwisePlan&) = default;
};

std::string to_string(const ElementwisePlan&);  // a word of kSweeps

// Throws std::invalid_argument with one sentence where the text is none.
ElementwisePlan parse_elementwise_plan(std::string_view text);

// Past the caches where those would not hold the operation's tensors until they are read again.
ElementwisePlan plan_elementwise(double tensor_bytes, const MachineModel&);

std::string elementwise_isa();  // Highway's name of what these operations run on

}  // namespace brickwork
