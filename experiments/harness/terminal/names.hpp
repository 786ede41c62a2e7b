// Names that the user types: a name, or a pattern in which * stands for any text and ? for one character.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

// The known name with the smallest edit distance, if it is close: the distance is at most a third of its length,
// rounded up, or one of the two names begins with the other one. Empty if no name is close.
std::string closest_name(std::string_view name, std::span<const std::string> known);

// Throws std::invalid_argument: "unknown layer 'layer1'; the closest is 'layer01'; there are: ...".
void require_known(std::string_view what, std::string_view name, std::span<const std::string> known);

// The known names that match the name or pattern, in the order of `known`. Throws std::invalid_argument if none does.
std::vector<std::string> names_matching(std::string_view what, const std::string& pattern,
                                        std::span<const std::string> known);

}  // namespace brickwork
