// The heuristic with what was measured on this machine: time as a sum of parts.
#pragma once
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

// Nanoseconds of the busiest thread.
struct MeasuredCost {
  double multiply_adds = 0;
  double calls = 0;
  BytesByPlace moving{};  // the waiting for data, by the place from which they come or to which they go

  double all() const;
};

MeasuredCost measured_cost(const VariantFacts&, const CacheHierarchy&);

std::vector<double> costs_by_measured(std::span<const Variant>, const CacheHierarchy&);

}  // namespace brickwork
