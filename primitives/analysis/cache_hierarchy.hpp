// The caches and the memory as a thread sees them.
#pragma once
#include <array>
#include <cstdint>

namespace brickwork {

// Where data lie. Indexes the arrays of the analyses.
enum class CachePlace { l1, l2, l3, memory };
constexpr std::size_t kPlaces = 4;

struct CacheHierarchy {
  std::array<std::int64_t, kPlaces - 1> bytes{};  // of L1, L2 and L3; L3: one thread's part
  std::array<double, kPlaces> latency{};          // nanoseconds of a load that waits for the one before
  std::array<double, kPlaces> bandwidth{};        // bytes per nanosecond of one thread that reads one after the other
  double fmas = 1;       // multiply-adds per nanosecond of one thread's brick, data in L1
  double call = 0;       // nanoseconds of a call of the brick that are not multiply-adds
};

}  // namespace brickwork
