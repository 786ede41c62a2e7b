#include "primitives/nest/loop_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace brickwork {
namespace {

[[noreturn]] void fail_at(std::string_view text, std::size_t position, std::string_view what) {
  throw std::invalid_argument(fmt::format("loop schedule: {}\n  {}\n  {:>{}}", what, text, '^', position + 1));
}

}  // namespace

std::string to_string(const LoopSchedule& schedule) {
  std::string text;
  bool open = false;
  for (const auto& level : schedule.levels) {
    if (open && !level.parallel) text += '}';
    if (!text.empty()) text += ' ';
    if (!open && level.parallel) text += '{';
    open = level.parallel;
    text += level.name;
    if (level.step != 1) text += fmt::format(":{}", level.step);
  }
  return open ? text + '}' : text;
}

LoopSchedule parse_loop_schedule(std::string_view text) {
  LoopSchedule schedule;
  bool open = false;
  bool braces_seen = false;
  std::size_t opened_at = 0;
  const auto is_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == '{') {
      if (braces_seen) fail_at(text, i, "a second '{': all parallel levels must be in one pair of braces");
      open = braces_seen = true;
      opened_at = i++;
    } else if (text[i] == '}') {
      if (!open) fail_at(text, i, "'}' without '{'");
      open = false;
      ++i;
    } else if (is_name(text[i])) {
      const std::size_t begin = i;
      while (i < text.size() && is_name(text[i])) ++i;
      LoopSchedule::Level level{std::string(text.substr(begin, i - begin)), 1, open};
      if (i < text.size() && text[i] == ':') {
        ++i;
        const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), level.step);
        if (error != std::errc() || level.step < 1 || level.step > kMostIterations) {
          fail_at(text, i, "a step must be a whole number from 1 to 2^40");
        }
        i = static_cast<std::size_t>(end - text.data());
      }
      schedule.levels.push_back(std::move(level));
    } else {
      fail_at(text, i, "expected a loop's name, '{' or '}'");
    }
  }
  if (open) fail_at(text, opened_at, "'{' is never closed");
  if (schedule.levels.empty()) fail_at(text, 0, "expected at least one loop");
  return schedule;
}

}  // namespace brickwork
