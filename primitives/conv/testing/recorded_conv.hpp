// Compares what convolution's drivers touch with a declaration (recorded_touches.hpp). Each function returns the first
// difference, or an empty string.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/conv_view.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

std::string forward_difference(const ConvView&, const ConvPlan&, const NestTouches& declared);

// The declaration has a nest for each phase with taps.
std::string backward_difference(const ConvProblem&, const ConvPlan&, const std::vector<NestTouches>& declared);

std::string update_difference(const ConvProblem&, const ConvUpdatePlan&, const NestTouches& declared,
                              std::int64_t ddst_room_w = 0);

}  // namespace brickwork
