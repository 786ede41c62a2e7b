// What a league's tasks find in their scratch.
#pragma once
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "primitives/nest/league.hpp"

namespace brickwork {

// NaN in every thread's: a task that reads what it has not written shows, as after whatever else ran before it.
inline void spoil_scratch() {
  using Space = Kokkos::DefaultHostExecutionSpace;
  constexpr std::int64_t kFloats = 1 << 20;
  parallel_league(Space(), Space().concurrency(), 1, kFloats * static_cast<std::int64_t>(sizeof(float)),
                  [](const auto&, std::int64_t, void* scratch) {
                    std::fill_n(static_cast<float*>(scratch), kFloats, std::numeric_limits<float>::quiet_NaN());
                  });
}

}  // namespace brickwork
