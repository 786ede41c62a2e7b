// The variants of a driver for one problem, and what an analysis says about each.
#pragma once
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

// plans[i] has the facts of variants[i].
template <class Plan>
struct PlanVariants {
  std::vector<Plan> plans;
  std::vector<Variant> variants;
};

// Places of the variants, the best first. Equal costs keep the order of the variants, whose facts the ranking may add
// to.
inline std::vector<std::size_t> ranked(const Ranking& ranking, std::span<Variant> variants,
                                       const CacheHierarchy& caches) {
  if (ranking.by_working_sets) place_working_sets(variants, caches);
  const std::vector<double> costs = ranking.costs(variants, caches);
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return costs[i]; });
  return order;
}

// The first plan of the best ranking, or nullopt if there are no variants.
template <class Plan>
std::optional<Plan> best_plan(PlanVariants<Plan> found, const CacheHierarchy& caches) {
  if (found.plans.empty()) return std::nullopt;
  return found.plans[ranked(best_ranking(), found.variants, caches).front()];
}

}  // namespace brickwork
