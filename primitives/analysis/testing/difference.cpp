#include "primitives/analysis/testing/difference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork {
namespace {

std::string to_string(const Dependence& d) {
  return fmt::format("kind {}, tensors {} and {}, level {}{}: {} and {} elements, {} and {} bytes",
                     static_cast<int>(d.kind), d.source, d.target, d.level, d.crosses_threads ? " across threads" : "",
                     d.nearest, d.farthest, d.nearest_bytes, d.farthest_bytes);
}

}  // namespace

std::string difference(const std::vector<Dependence>& expected, const Result<std::vector<Dependence>>& found) {
  if (!found) return found.reason();
  const auto text_of = [](const std::vector<Dependence>& all, std::size_t i) {
    return i < all.size() ? to_string(all[i]) : std::string("nothing");
  };
  for (std::size_t i = 0; i < std::max(expected.size(), found->size()); ++i) {
    const std::string right = text_of(expected, i), text = text_of(*found, i);
    if (text != right) return fmt::format("dependence {} is {}, but must be {}", i, text, right);
  }
  return {};
}

}  // namespace brickwork
