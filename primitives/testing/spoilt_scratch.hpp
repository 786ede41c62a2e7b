// Spoils the scratch of a league's tasks, for tests.
#pragma once
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "primitives/nest/league.hpp"

namespace brickwork {

// Fills every thread's scratch with NaN, so that a task shows if it reads what it has not written.
inline void spoil_scratch() {
  using Space = Kokkos::DefaultHostExecutionSpace;
  constexpr std::int64_t kFloats = 1 << 20;
  parallel_league(Space(), Space().concurrency(), 1, kFloats * static_cast<std::int64_t>(sizeof(float)),
                  [](const auto&, std::int64_t, void* scratch) {
                    std::fill_n(static_cast<float*>(scratch), kFloats, std::numeric_limits<float>::quiet_NaN());
                  });
}

}  // namespace brickwork
