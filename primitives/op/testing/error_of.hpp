// The message with which a problem's parser refuses a text, for tests.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "primitives/op/size_table.hpp"

namespace brickwork {

// Empty if the text is a problem.
template <HasSizes Problem>
std::string error_of(std::string_view text) {
  try {
    parse_problem<Problem>(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace brickwork
