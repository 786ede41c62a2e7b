// PolyDL's heuristic: the working sets, each weighted with the latency of the place that holds it.
#pragma once
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

// The paper's latencies, in cycles of a Xeon Platinum 8280, and its bandwidths, which decide between equal costs.
std::vector<double> costs_by_latency(std::span<const Variant>, const CacheHierarchy&);

}  // namespace brickwork
