#include "primitives/elementwise/elementwise_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "hwy/highway.h"

namespace brickwork {

std::string to_string(const ElementwisePlan& plan) {
  return std::string(kSweeps[static_cast<std::size_t>(plan.sweep)]);
}

ElementwisePlan parse_elementwise_plan(std::string_view text) {
  const auto* const found = std::ranges::find(kSweeps, text);
  if (found == std::end(kSweeps)) {
    throw std::invalid_argument(
        fmt::format("plan '{}' is unknown: expected one of {}", text, fmt::join(kSweeps, ", ")));
  }
  return {.sweep = static_cast<Sweep>(found - kSweeps)};
}

ElementwisePlan plan_elementwise(double tensor_bytes, const MachineModel& machine) {
  return {.sweep = machine.sweep_of(tensor_bytes)};
}

std::string elementwise_isa() {
  const std::int64_t usable = HWY_TARGETS & hwy::SupportedTargets();
  return hwy::TargetName(usable & -usable);  // better targets have lower bits
}

}  // namespace brickwork
