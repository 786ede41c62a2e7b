#include "loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace brickwork {
namespace {

[[noreturn]] void fail_at(std::string_view text, std::size_t position, std::string_view what) {
  throw std::invalid_argument(fmt::format("loop schedule: {}\n  {}\n  {:>{}}", what, text, '^', position + 1));
}

std::string names(const std::vector<Loop>& loops) {
  std::string list;
  for (const Loop& loop : loops) list += fmt::format("{}{}", list.empty() ? "" : ", ", loop.name);
  return list;
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
      if (braces_seen) fail_at(text, i, "a second '{'; the parallel levels stand in one pair of braces");
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
        if (error != std::errc() || level.step < 1) fail_at(text, i, "a step must be a whole number of at least 1");
        i = static_cast<std::size_t>(end - text.data());
      }
      schedule.levels.push_back(std::move(level));
    } else {
      fail_at(text, i, "expected a loop's name, '{' or '}'");
    }
  }
  if (open) fail_at(text, opened_at, "'{' is never closed");
  if (schedule.levels.empty()) fail_at(text, 0, "it names no loop");
  return schedule;
}

LoopNest::LoopNest(const std::vector<Loop>& loops, const LoopSchedule& schedule) {
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("loop schedule '{}': {}", to_string(schedule), what));
  };
  if (loops.size() > kMaxLoops) refuse(fmt::format("at most {} loops can be declared", kMaxLoops));
  if (schedule.levels.size() > kMaxLevels) refuse(fmt::format("at most {} levels are possible", kMaxLevels));

  std::array<std::int64_t, kMaxLoops> last_step{};  // of the level further out; 0: none yet
  std::array<bool, kMaxLoops> parallel{};
  for (std::size_t l = 0; l < loops.size(); ++l) whole_[l] = {0, loops[l].extent};

  for (const auto& level : schedule.levels) {
    const auto found =
        std::find_if(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.name == level.name; });
    if (found == loops.end()) refuse(fmt::format("there is no loop '{}'; the loops are {}", level.name, names(loops)));
    const int loop = static_cast<int>(found - loops.begin());
    if (level.step < 1) refuse(fmt::format("the step of '{}' must be at least 1", level.name));
    if (last_step[loop] != 0 && level.step >= last_step[loop]) {
      refuse(fmt::format("the inner level of '{}' must have a smaller step than the outer one's {}", level.name,
                         last_step[loop]));
    }
    if (level.parallel && found->reduction) {
      refuse(fmt::format("'{}' adds to one output and cannot run in parallel", level.name));
    }
    if (level.parallel && parallel[loop]) refuse(fmt::format("'{}' can be parallel on one level only", level.name));
    if (level.parallel) {
      if (parallel_end_ == 0) {
        parallel_begin_ = level_count_;
      } else if (parallel_end_ != level_count_) {
        refuse("the parallel levels must be neighbours");
      }
      parallel_end_ = level_count_ + 1;
      parallel[loop] = true;
    }
    last_step[loop] = level.step;
    levels_[level_count_++] = {loop, level.step};
  }
  for (std::size_t l = 0; l < loops.size(); ++l) {
    if (last_step[l] == 0) refuse(fmt::format("the loop '{}' is missing", loops[l].name));
    if (last_step[l] != 1 && !loops[l].ranged) {
      refuse(fmt::format("the innermost level of '{}' must have step 1", loops[l].name));
    }
  }
}

}  // namespace brickwork
