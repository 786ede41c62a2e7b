// The two forms of a tree in a line of a file, as structure_files.hpp describes them.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace brickwork {

inline constexpr std::string_view kBlanks = " \t\r";  // \r: a line may end with \r\n

using TreeNodes = std::vector<std::vector<std::int32_t>>;  // the children of each node

// Both throw std::invalid_argument with what is wrong, without file and line.
TreeNodes tree_of_parents(std::string_view line);
TreeNodes tree_of_brackets(std::string_view line);  // the first character that is no blank is a bracket that opens

}  // namespace brickwork
