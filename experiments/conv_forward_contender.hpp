// Our own convolution as a contender, one for each backend of the brick.
#pragma once
#include <memory>
#include <string>

#include "brgemm.hpp"
#include "contender.hpp"

namespace brickwork {

// plan_override: a plan's text form, or empty for the analytic choice. Throws std::invalid_argument where it cannot be
// read.
std::unique_ptr<ConvContender> make_conv_forward(Backend, Isa, std::string plan_override);

}  // namespace brickwork
