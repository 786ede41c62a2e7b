#include "experiments/harness/terminal/names.hpp"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

std::string closest_name(std::string_view name, std::span<const std::string> known) {
  const auto closest = std::ranges::min_element(known, {}, [&](const auto& k) { return edit_distance(name, k); });
  return closest == known.end() ? "" : *closest;
}

void require_known(std::string_view what, std::string_view name, std::span<const std::string> known) {
  if (std::ranges::find(known, name) != known.end()) return;
  throw std::invalid_argument(fmt::format("unknown {} '{}'; the closest is '{}'; there are: {}", what, name,
                                          closest_name(name, known), fmt::join(known, ", ")));
}

}  // namespace brickwork
