// Measured variants of plans, read from a CSV file, and how good an order of them is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

// The variants of one pass of one problem. Their nests are empty.
struct MeasuredLayer {
  std::string pass, problem;
  std::vector<Variant> variants;
  std::vector<double> seconds;
};

// The columns are those of variant_columns.hpp; others are left out of account. Throws std::invalid_argument with one
// sentence: file, line, column, what is wrong and what would be right.
std::vector<MeasuredLayer> read_measured_layers(std::istream&, std::string_view file);

struct SplitLayers {
  std::vector<MeasuredLayer> train, test;
};

// A quarter of the problems, the same in every run, is for the test, with all its passes. Layers of one variant have
// nothing to order and are left out. Throws std::invalid_argument with one sentence if a part has no layer.
SplitLayers split_by_problem(std::vector<MeasuredLayer>, std::string_view file);

// Whether the seconds of two variants differ by more than measurements do.
bool differ(double seconds, double other_seconds);

// The share of right answers to whether the first variant is faster, over pairs of variants whose seconds differ: each
// variant as the first one, and up to 64 others, which lie evenly among all, as the second one. is_first(i, others) has
// for each other one: 1 for yes, 0 for no, 0.5 for both.
using IsFirst = std::function<std::vector<double>(std::size_t first, std::span<const std::size_t> others)>;
double pair_accuracy(const MeasuredLayer&, const IsFirst&);

// The same for costs of a ranking.
double pair_accuracy(const MeasuredLayer&, const std::vector<double>& costs);

// The least seconds of all variants over the least ones of the best `count` variants by cost.
double rank_efficiency(const MeasuredLayer&, const std::vector<double>& costs, std::size_t count);

// The number of variants in the top 5 %, rounded up.
std::size_t top_5_percent(const MeasuredLayer&);

}  // namespace brickwork
