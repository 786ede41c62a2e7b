#include "library/status.hpp"

#include <fmt/format.h>

#include <utility>

namespace brickwork::library {
namespace {

thread_local std::string last_error;

}  // namespace

void set_last_error(std::string sentence) noexcept { last_error = std::move(sentence); }

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw std::invalid_argument(fmt::format("'{}' is null: expected an address", name));
}

void require(std::initializer_list<std::pair<const void*, const char*>> arguments) {
  for (const auto& [pointer, name] : arguments) require(pointer, name);
}

bool flag(int value, const char* name) {
  if (value != 0 && value != 1) throw std::invalid_argument(fmt::format("'{}' is {}: expected 0 or 1", name, value));
  return value == 1;
}

}  // namespace brickwork::library

const char* brickwork_last_error(void) { return brickwork::library::last_error.c_str(); }
