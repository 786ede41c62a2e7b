// Statistics by which generated parse trees are compared with those of a treebank, for tests.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/recursive/structures/linearizer.hpp"

namespace brickwork {

struct TreeStatistic {
  std::string name;
  double value;
};
using TreeStatistics = std::vector<TreeStatistic>;

// Leaves and height of each tree, and the nodes of each level of all trees together.
struct TreeMeasures {
  explicit TreeMeasures(const Forest& f) : leaves(static_cast<std::size_t>(f.structures())), heights(leaves) {
    Linearizer linearize(std::numeric_limits<std::int32_t>::max());
    const Levels& levels = linearize(f);
    std::vector<std::size_t> tree_of(static_cast<std::size_t>(f.nodes()));
    for (std::size_t tree = 0; tree < leaves.size(); ++tree) {
      std::fill(tree_of.begin() + f.first_node[tree], tree_of.begin() + f.first_node[tree + 1], tree);
    }
    for (std::size_t h = 0; h < levels.levels.size(); ++h) {
      level_nodes.push_back(levels.levels[h].size());
      for (std::int32_t place = levels.levels[h].begin; place < levels.levels[h].end; ++place) {
        const std::size_t tree = tree_of[static_cast<std::size_t>(levels.node[static_cast<std::size_t>(place)])];
        heights[tree] = static_cast<double>(h);
        leaves[tree] += h == 0;
      }
    }
  }

  std::vector<double> leaves, heights;
  std::vector<double> level_nodes;
};

inline double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The smallest value that is larger than `percent` of the values.
inline double percentile(std::vector<double> values, std::size_t percent) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(values.size() * percent / 100);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

// Levels of a minibatch of ten trees, on average.
inline double mean_levels_of_ten(const std::vector<double>& heights) {
  std::vector<double> levels;
  for (auto tree = heights.begin(); heights.end() - tree >= 10; tree += 10) {
    levels.push_back(*std::max_element(tree, tree + 10) + 1);
  }
  return mean_of(levels);
}

inline double mean_height_with(double leaves, const TreeMeasures& trees) {
  std::vector<double> heights;
  for (std::size_t tree = 0; tree < trees.leaves.size(); ++tree) {
    if (trees.leaves[tree] == leaves) heights.push_back(trees.heights[tree]);
  }
  return mean_of(heights);
}

inline TreeStatistics tree_statistics(const Forest& forest) {
  const TreeMeasures trees(forest);
  TreeStatistics s = {{"mean number of leaves", mean_of(trees.leaves)},
                      {"median number of leaves", percentile(trees.leaves, 50)},
                      {"90th percentile of leaves", percentile(trees.leaves, 90)},
                      {"mean height", mean_of(trees.heights)},
                      {"90th percentile of heights", percentile(trees.heights, 90)},
                      {"mean number of levels of ten trees", mean_levels_of_ten(trees.heights)}};
  for (const int leaves : {5, 10, 20, 30}) {
    s.push_back({fmt::format("mean height with {} leaves", leaves), mean_height_with(leaves, trees)});
  }
  for (std::size_t h = 0; h <= 10; ++h) {
    const double share = h < trees.level_nodes.size() ? trees.level_nodes[h] / forest.nodes() : 0;
    s.push_back({fmt::format("share of nodes in level {}", h), share});
  }
  return s;
}

// The first statistic that differs from the expected one by more than this share of it; empty if none does.
inline std::string first_difference(const TreeStatistics& statistics, const TreeStatistics& expected,
                                    double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [name, value] = statistics.at(i);
    const double right = expected[i].value;
    if (std::abs(value - right) <= tolerance * right) continue;  // false for NaN
    return fmt::format("the {} is {:.4g} instead of {:.4g}", name, value, right);
  }
  return "";
}

}  // namespace brickwork
