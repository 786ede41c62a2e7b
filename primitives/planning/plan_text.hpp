// The text form of plans: the plan's words, then "loops=" and its loop schedule.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/nest/loop_schedule.hpp"
#include "primitives/op/size_table.hpp"

namespace brickwork {

// The table of a plan's words without its loops. Its text gives every word, with spaces between them.
template <class Plan>
SizeTable<Plan> plan_words(std::string_view kind, std::vector<Size<Plan>> sizes, std::vector<Word<Plan>> words = {}) {
  return {kind, std::move(sizes), std::move(words), ' ', true};
}

// Plan has a table of everything except its member `loops`.
template <HasSizes Plan>
std::string plan_text(const Plan& plan) {
  return fmt::format("{} loops={}", to_string<Plan>(plan), to_string(plan.loops));
}

// Throws std::invalid_argument that names the offending word.
template <HasSizes Plan>
Plan parse_plan(std::string_view text) {
  constexpr std::string_view kLoops = "loops=";
  const auto loops = text.find(kLoops);
  if (loops == std::string_view::npos) {
    throw std::invalid_argument(
        fmt::format("plan '{}' lacks its loops: end it with a word such as '{}{{n kb}} oj oi cb'", text, kLoops));
  }
  auto plan = parse_words<Plan>(text.substr(0, loops));
  check_sizes(plan, kMostIterations, "2^40");
  plan.loops = parse_loop_schedule(text.substr(loops + kLoops.size()));
  return plan;
}

}  // namespace brickwork
