// The text of network_weights.json; empty if the build had no such file. CMake writes the definition.
#pragma once
#include <string_view>

namespace brickwork {

extern const std::string_view kShippedWeights;

}  // namespace brickwork
