// A variable that the threads of a team share.
#pragma once
#include <type_traits>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// One S for all threads if the team has shared memory, as a CUDA block has; otherwise one S per thread. In a CUDA block
// the registers are for sums, and an S per thread would be spilled to device memory: a convolution with 11 MB of output
// wrote 148 MB (H100).
template <class S, class Team>
class TeamShared {
 public:
  BRICKWORK_HOST_DEVICE explicit TeamShared(const Team& team) : team_(team) {}

  BRICKWORK_HOST_DEVICE const S& get() { return here(); }

  // Calls f(S&). All threads must call update(); references from an earlier get() then see the new value.
  template <class F>
  BRICKWORK_HOST_DEVICE void update(const F& f) {
    if constexpr (kShared) {
      team_.barrier();
      if (team_.rank() == 0) f(here());
      team_.barrier();
    } else {
      f(here());
    }
  }

 private:
  static constexpr bool kShared = requires(const Team& team) { team.template shared<S>(); };
  struct None {};

  BRICKWORK_HOST_DEVICE S& here() {
    if constexpr (kShared) {
      return team_.template shared<S>();
    } else {
      return mine_;
    }
  }

  const Team& team_;
  [[no_unique_address]] std::conditional_t<kShared, None, S> mine_;
};

}  // namespace brickwork
