// Measures the speeds of this machine, and keeps them for later runs.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>

#include "primitives/planning/speeds/core_speeds.hpp"

namespace brickwork {

struct CacheSizes {
  std::int64_t l1 = 0, l2 = 0, l3 = 0;  // bytes
};

// Each number is the best of some repetitions, with data in half of a cache, or in four times L3 (at most 256 MiB).
// Takes some tenths of a second.
CoreSpeeds measure_speeds(const CacheSizes&);

// The speeds that `folder` keeps for this processor and version of the measurement; otherwise measures and keeps them,
// rounded to two digits, so that plans are the same in each run. A file that cannot be read or written is no error:
// then each run measures.
CoreSpeeds find_speeds(const CacheSizes&, const std::optional<std::filesystem::path>& folder,
                       const std::function<CoreSpeeds(const CacheSizes&)>& measure = measure_speeds);

// Those of this machine, found once.
const CoreSpeeds& speeds_of_this_machine();

}  // namespace brickwork
