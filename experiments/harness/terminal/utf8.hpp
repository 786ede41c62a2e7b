// Names that the user gives are written to environment.json and into figures, and both need UTF-8.
#pragma once
#include <string>

namespace brickwork {

bool is_utf8(const std::string&);
std::string in_quotes(const std::string&);  // in double quotes, with bytes that are no UTF-8 replaced

}  // namespace brickwork
