#include "experiments/harness/terminal/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace brickwork {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

bool is_close(std::string_view typed, std::string_view known) {
  if (!typed.empty() && (known.starts_with(typed) || typed.starts_with(known))) return true;
  return 3 * edit_distance(typed, known) <= known.size() + 2;  // a third, rounded up
}

}  // namespace

std::string closest_name(std::string_view name, std::span<const std::string> known) {
  const auto closest = std::ranges::min_element(known, {}, [&](const auto& k) {
    return std::pair(!is_close(name, k), edit_distance(name, k));  // a short name may be less far and yet not close
  });
  return closest == known.end() || !is_close(name, *closest) ? "" : *closest;
}

void require_known(std::string_view what, std::string_view name, std::span<const std::string> known) {
  if (std::ranges::find(known, name) != known.end()) return;
  const std::string closest = closest_name(name, known);
  throw std::invalid_argument(fmt::format("unknown {} '{}'{}; there are: {}", what, name,
                                          closest.empty() ? "" : fmt::format("; the closest is '{}'", closest),
                                          fmt::join(known, ", ")));
}

std::vector<std::string> names_matching(std::string_view what, const std::string& pattern,
                                        std::span<const std::string> known) {
  if (pattern.find_first_of("*?[") == std::string::npos) {
    require_known(what, pattern, known);
    return {pattern};
  }
  std::vector<std::string> matching;
  std::ranges::copy_if(known, std::back_inserter(matching),
                       [&](const auto& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
  if (!matching.empty()) return matching;
  throw std::invalid_argument(fmt::format("no {} matches '{}'; there are: {}", what, pattern, fmt::join(known, ", ")));
}

}  // namespace brickwork
