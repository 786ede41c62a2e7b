// The comparison of two analyses of a nest.
#pragma once
#include <string>
#include <vector>

#include "primitives/analysis/working_sets.hpp"

namespace brickwork {

// Says what differs first; empty if nothing does.
std::string difference(const std::vector<Dependence>& expected, const Result<std::vector<Dependence>>& found);

}  // namespace brickwork
