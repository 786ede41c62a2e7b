// The brick as a driver's body calls it, brick(team, beta, call, scratch), whatever runs it.
#pragma once
#include "brgemm.hpp"
#include "brgemm_portable.hpp"
#include "host_device.hpp"

namespace brickwork {

// Made for one shape, by a backend of the host; the team is the one thread that calls.
struct KernelBrick {
  const BrgemmKernel* of_beta[2];

  std::int64_t scratch_bytes() const { return 0; }

  template <class Team>
  void operator()(const Team&, int beta, const BrgemmCall& call, void*) const {
    (*of_beta[beta])(call);
  }
};

// The portable one, whose tile the threads of a team share. Staged, operands go through the task's scratch.
template <class T>
struct TeamBrick {
  BrgemmShape shape;
  bool staged;

  std::int64_t scratch_bytes() const {
    return staged ? portable_scratch(shape) * static_cast<std::int64_t>(sizeof(T)) : 0;
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, int beta, const BrgemmCall& call, void* scratch) const {
    BrgemmShape with_beta = shape;
    with_beta.beta = beta;
    brgemm_portable<T, T>(team, with_beta, call, staged ? static_cast<T*>(scratch) : nullptr);
  }
};

}  // namespace brickwork
