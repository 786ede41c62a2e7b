// What the user names is kept in environment.json and drawn, and both need UTF-8.
#pragma once
#include <string>

namespace brickwork {

bool is_utf8(const std::string&);
std::string in_quotes(const std::string&);  // in double quotes, whatever is no UTF-8 replaced

}  // namespace brickwork
