// Checks the result of a linearizer against its forest, property by property, for tests.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {

class LevelsCheck {
 public:
  LevelsCheck(const Forest& forest, const Levels& levels, LevelOrder order)
      : f_(forest), l_(levels), order_(order), nodes_(forest.nodes()), edges_(forest.edges()) {}

  // A sentence about the first property that does not hold. A property relies on those before it.
  std::string first_violation() const {
    using Property = std::string (LevelsCheck::*)() const;
    for (const Property property :
         {&LevelsCheck::sizes, &LevelsCheck::numbers, &LevelsCheck::places, &LevelsCheck::edges, &LevelsCheck::order,
          &LevelsCheck::ranges, &LevelsCheck::heights, &LevelsCheck::uses, &LevelsCheck::sorted, &LevelsCheck::leaves,
          &LevelsCheck::positions}) {
      if (std::string wrong = (this->*property)(); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  using Numbers = std::vector<std::int32_t>;

  static std::string wrong_size(const char* name, const Numbers& numbers, std::int64_t right) {
    if (static_cast<std::int64_t>(numbers.size()) == right) return "";
    return fmt::format("{} has {} numbers instead of {}", name, numbers.size(), right);
  }

  std::string sizes() const {
    if (l_.nodes != nodes_) return fmt::format("nodes is {} instead of {}", l_.nodes, nodes_);
    if (l_.edges != edges_) return fmt::format("edges is {} instead of {}", l_.edges, edges_);
    const std::int64_t nodes = nodes_, edges = edges_, rows = std::ssize(l_.child_at) / nodes;
    for (const std::string& wrong :
         {wrong_size("node", l_.node, nodes), wrong_size("place", l_.place, nodes),
          wrong_size("first_edge", l_.first_edge, nodes + 1), wrong_size("parent", l_.parent, edges),
          wrong_size("child", l_.child, edges), wrong_size("first_use", l_.first_use, nodes + 1),
          wrong_size("uses", l_.uses, edges), wrong_size("child_at", l_.child_at, rows * nodes),
          wrong_size("owner", l_.owner, order_ == LevelOrder::subtrees ? nodes : 0)}) {
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static std::string wrong_number(const char* name, const Numbers& numbers, std::int32_t most, std::int32_t least = 0) {
    const auto wrong = std::ranges::find_if(numbers, [&](std::int32_t n) { return n < least || n > most; });
    if (wrong == numbers.end()) return "";
    return fmt::format("{}[{}] is {}: it must be from {} to {}", name, wrong - numbers.begin(), *wrong, least, most);
  }

  std::string numbers() const {
    for (const std::string& wrong :
         {wrong_number("node", l_.node, nodes_ - 1), wrong_number("place", l_.place, nodes_ - 1),
          wrong_number("first_edge", l_.first_edge, edges_), wrong_number("parent", l_.parent, nodes_ - 1),
          wrong_number("child", l_.child, nodes_ - 1), wrong_number("first_use", l_.first_use, edges_),
          wrong_number("uses", l_.uses, edges_ - 1), wrong_number("child_at", l_.child_at, nodes_ - 1, kNoChild)}) {
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static std::int32_t at(const Numbers& numbers, std::int32_t i) { return numbers[static_cast<std::size_t>(i)]; }

  std::string places() const {
    for (std::int32_t place = 0; place < nodes_; ++place) {
      if (at(l_.place, at(l_.node, place)) != place) {
        return fmt::format("place {} has node {}, whose place is {}", place, at(l_.node, place),
                           at(l_.place, at(l_.node, place)));
      }
    }
    return "";
  }

  std::string edges() const {
    std::int32_t edge = 0;
    for (std::int32_t place = 0; place < nodes_; ++place) {
      if (at(l_.first_edge, place) != edge) return fmt::format("place {}: its first edge is not {}", place, edge);
      for (const std::int32_t child : f_.children_of(at(l_.node, place))) {
        if (at(l_.parent, edge) != place) return fmt::format("edge {}: its parent is not place {}", edge, place);
        if (at(l_.child, edge) != at(l_.place, child)) {
          return fmt::format("edge {}: its child is not place {}", edge, at(l_.place, child));
        }
        ++edge;
      }
    }
    return l_.first_edge.back() == edges_ ? "" : "first_edge does not end with the number of edges";
  }

  std::string order() const {
    for (std::int32_t edge = 0; edge < edges_; ++edge) {
      if (at(l_.child, edge) <= at(l_.parent, edge)) {
        return fmt::format("edge {}: its child has not a higher place than its parent", edge);
      }
    }
    return "";
  }

  std::string ranges() const {
    std::int32_t begin = nodes_;
    for (std::size_t level = 0; level < l_.levels.size(); ++level) {
      if (l_.levels[level].end != begin) return fmt::format("level {} does not end at place {}", level, begin);
      begin = l_.levels[level].begin;
      if (l_.levels[level].size() <= 0) return fmt::format("level {} is empty", level);
    }
    return begin == 0 ? "" : "the last level does not begin at place 0";
  }

  std::string heights() const {
    Numbers height(static_cast<std::size_t>(nodes_));  // of each place
    for (std::int32_t edge = edges_ - 1; edge >= 0; --edge) {
      std::int32_t& of_parent = height[static_cast<std::size_t>(at(l_.parent, edge))];
      of_parent = std::max(of_parent, at(height, at(l_.child, edge)) + 1);
    }
    for (std::int32_t h = 0; h < std::ssize(l_.levels); ++h) {
      const Level level = l_.levels[static_cast<std::size_t>(h)];
      for (std::int32_t place = level.begin; place < level.end; ++place) {
        if (at(height, place) != h) {
          return fmt::format("place {} is in level {}, but its height is {}", place, h, at(height, place));
        }
      }
    }
    return "";
  }

  std::string uses() const {
    std::vector<Numbers> by_child(static_cast<std::size_t>(nodes_));
    for (std::int32_t edge = 0; edge < edges_; ++edge) {
      by_child[static_cast<std::size_t>(at(l_.child, edge))].push_back(edge);
    }
    std::int32_t use = 0;
    for (std::int32_t place = 0; place < nodes_; ++place) {
      if (at(l_.first_use, place) != use) return fmt::format("place {}: its first use is not entry {}", place, use);
      for (const std::int32_t edge : by_child[static_cast<std::size_t>(place)]) {
        if (at(l_.uses, use++) != edge) return fmt::format("place {}: edge {} is missing in its uses", place, edge);
      }
    }
    return l_.first_use.back() == edges_ ? "" : "first_use does not end with the number of edges";
  }

  // What the nodes of a level are sorted by.
  std::pair<std::int32_t, std::int32_t> key(std::int32_t place, const Level& higher) const {
    const std::int32_t number = at(l_.node, place);
    if (order_ == LevelOrder::subtrees) return {at(l_.owner, place), number};
    if (order_ == LevelOrder::parents) {
      for (std::int32_t use = at(l_.first_use, place); use < at(l_.first_use, place + 1); ++use) {
        const std::int32_t edge = at(l_.uses, use), parent = at(l_.parent, edge);
        if (higher.begin <= parent && parent < higher.end) return {-1, edge};
      }
    }
    return {0, number};
  }
  std::string sorted() const {
    for (std::size_t level = 1; level < l_.levels.size(); ++level) {
      const Level nodes = l_.levels[level], higher = level + 1 < l_.levels.size() ? l_.levels[level + 1] : Level{};
      for (std::int32_t place = nodes.begin + 1; place < nodes.end; ++place) {
        if (key(place, higher) < key(place - 1, higher)) {
          return fmt::format("level {} is not sorted at place {}", level, place);
        }
      }
    }
    return "";
  }

  std::string leaves() const {
    if (l_.first_leaf != l_.levels.front().begin) return "first_leaf is not where the level of the leaves begins";
    std::int32_t before = -1;
    for (std::int32_t place = l_.first_leaf; place < nodes_; ++place) {
      if (at(l_.node, place) < before) return fmt::format("place {}: leaves are not sorted by number", place);
      before = at(l_.node, place);
    }
    return "";
  }

  std::string positions() const {
    for (std::size_t i = 0; i < l_.child_at.size(); ++i) {
      const std::size_t position = i / l_.node.size(), place = i % l_.node.size();
      const std::span<const std::int32_t> children = f_.children_of(l_.node[place]);
      const std::int32_t right = position < children.size() ? at(l_.place, children[position]) : kNoChild;
      if (l_.child_at[i] != right) {
        return fmt::format("place {}: its child at position {} is not {}", place, position, right);
      }
    }
    return "";
  }

  const Forest& f_;
  const Levels& l_;
  const LevelOrder order_;
  const std::int32_t nodes_, edges_;
};

// A sentence about the first property that does not hold; empty if all hold. The forest is one that a linearizer takes;
// the levels may be wrong in any way.
inline std::string violations(const Forest& forest, const Levels& levels, LevelOrder order = LevelOrder::numbers) {
  return LevelsCheck(forest, levels, order).first_violation();
}

}  // namespace brickwork
