#include "primitives/recursive/structures/forest.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace brickwork {

std::int64_t Forest::most_children() const {
  std::int64_t most = 0;
  for (std::int32_t node = 0; node < nodes(); ++node) most = std::max(most, std::ssize(children_of(node)));
  return most;
}

void Forest::add(std::span<const std::vector<std::int32_t>> children_of_nodes) {
  std::size_t new_edges = 0;
  for (const auto& of_node : children_of_nodes) new_edges += of_node.size();
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  const std::int32_t first = nodes();
  if (children_of_nodes.size() > kMost - static_cast<std::size_t>(first) || new_edges > kMost - children.size()) {
    throw std::invalid_argument(
        "there are too many structures: all together may have 2^31 - 1 nodes and as many edges");
  }
  for (const auto& of_node : children_of_nodes) {
    for (const std::int32_t child : of_node) {
      // Wraps around instead of overflowing: the linearizer refuses a child that does not exist.
      children.push_back(
          static_cast<std::int32_t>(static_cast<std::uint32_t>(child) + static_cast<std::uint32_t>(first)));
    }
    first_child.push_back(edges());
  }
  first_node.push_back(first + static_cast<std::int32_t>(children_of_nodes.size()));
}

}  // namespace brickwork
