// What a team's threads have in common.
#pragma once
#include <type_traits>

#include "kernels/base/host_device.hpp"

namespace brickwork {

// One S for all threads of a team that has memory in common, as a block of CUDA's has, or one for each of them. In a
// block the registers are for sums, so that an S of each thread would lie in the device's memory: a convolution wrote
// 148 MB there, where its output has 11 (H100).
template <class S, class Team>
class TeamShared {
 public:
  BRICKWORK_HOST_DEVICE explicit TeamShared(const Team& team) : team_(team) {}

  BRICKWORK_HOST_DEVICE const S& get() { return here(); }

  // f(S&), to be called by all threads; none has what it was before any more.
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
