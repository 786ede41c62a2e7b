// A loop schedule: the order, the blocking levels and the threads of declared loops, as a printable value.
//
// Text form, outermost level first:   {n kb} cb:4 oj:7 oj oi
//   name      one level of that loop
//   name:S    a level that advances S iterations at a time; a level of the same name further in walks those S. On a
//             loop's innermost level, S > 1 hands the body S iterations at once, which only ranged loops allow.
//   { ... }   these neighbouring levels run in parallel: their collapsed iterations are cut into one contiguous chunk
//             per thread. The chunks are the same in every run, so that a thread finds its data in its own L2.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

// Limit of a loop's extent and of a step: their sum cannot overflow.
constexpr std::int64_t kMostIterations = std::int64_t{1} << 40;

struct LoopSchedule {
  struct Level {
    std::string name;
    std::int64_t step = 1;
    bool parallel = false;
    friend bool operator==(const Level&, const Level&) = default;
  };
  std::vector<Level> levels;
  friend bool operator==(const LoopSchedule&, const LoopSchedule&) = default;
};

std::string to_string(const LoopSchedule&);

// Throws std::invalid_argument, whose message shows the text with a mark under the offending character.
LoopSchedule parse_loop_schedule(std::string_view text);

}  // namespace brickwork
