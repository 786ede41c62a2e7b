#include "experiments/harness/terminal/utf8.hpp"

#include <nlohmann/json.hpp>

namespace brickwork {

using nlohmann::json;

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(json(text).dump());
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

std::string in_quotes(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace brickwork
