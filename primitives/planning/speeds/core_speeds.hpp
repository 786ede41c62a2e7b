// Speeds of one thread of this machine, from which an analysis of loops estimates times.
#pragma once
#include <array>
#include <cstdint>

#include "primitives/analysis/cache_hierarchy.hpp"

namespace brickwork {

// By default those of a Zen 4.
struct CoreSpeeds {
  double multiply_adds = 59;  // of the brick in a nanosecond, with data in L1
  double call = 27;           // nanoseconds of a call of the brick that are not multiply-adds
  std::array<double, kPlaces> latency{1.4, 5.2, 25, 120};   // nanoseconds of a load that waits for the one before
  std::array<double, kPlaces> bandwidth{57, 55, 37, 12};    // bytes in a nanosecond, one after the other
  friend bool operator==(const CoreSpeeds&, const CoreSpeeds&) = default;
};

}  // namespace brickwork
