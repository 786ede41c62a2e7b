// All declarations that differ from a right one in one place, for tests of the checker of declarations.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "primitives/nest/touches.hpp"

namespace brickwork {

// Makes each size, block, offset and factor one larger (an offset also one smaller), and drops or changes each loop of
// an axis, tensor, kind of touch, at_last and term. Returns the names of the wrong declarations for which
// difference(nest) is an empty string. A test names them: they must say the same as the right one.
std::vector<std::string> declarations_not_found(const NestTouches& right,
                                                const std::function<std::string(const NestTouches&)>& difference);

}  // namespace brickwork
