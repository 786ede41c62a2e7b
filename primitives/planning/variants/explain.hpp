// Why the analysis picks a plan, in words for a person.
#pragma once
#include <string>
#include <vector>

#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/analysis/ranking.hpp"

namespace brickwork {

struct ExplainedVariant {
  std::string plan;
  const Variant* variant = nullptr;
};

// For the first of the variants, which are in the order of the ranking: what each level of its loops touches and which
// cache holds it; from where its data come; its cost in parts. Then the runner-ups with their costs.
std::string explanation(const std::vector<ExplainedVariant>&, std::size_t of_all, const CacheHierarchy&,
                        std::string_view ranking);

}  // namespace brickwork
