// Names typed by the user: known ones pass, others are answered with the closest known one and the whole list.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

// The known name with the smallest edit distance; empty where nothing is known.
std::string closest_name(std::string_view name, std::span<const std::string> known);

// Throws std::invalid_argument: "unknown layer 'layer1'; the closest is 'layer01'; there are: ...".
void require_known(std::string_view what, std::string_view name, std::span<const std::string> known);

}  // namespace brickwork
