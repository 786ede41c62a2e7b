#include "elementwise/elementwise_plan.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

std::string to_string(const ElementwisePlan& plan) { return plan.stream ? "stream" : "cached"; }

ElementwisePlan parse_elementwise_plan(std::string_view text) {
  for (const bool stream : {false, true}) {
    if (const ElementwisePlan plan{.stream = stream}; text == to_string(plan)) return plan;
  }
  throw std::invalid_argument(fmt::format("plan '{}' is none of this operation: expected cached or stream", text));
}

ElementwisePlan plan_elementwise(double tensor_bytes, const MachineModel& machine) {
  return {.stream = tensor_bytes > static_cast<double>(machine.l3_bytes)};
}

}  // namespace brickwork
