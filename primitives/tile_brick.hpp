// The brick as a driver's body calls it, brick(team, beta, call, scratch), whatever runs it; and a tile of zeros, as
// zeros.hpp has it.
#pragma once
#include "brgemm.hpp"
#include "brgemm_portable.hpp"
#include "host_device.hpp"
#include "zeros.hpp"

namespace brickwork {

// Made for one shape, by a backend of the host; the team is the one thread that calls.
struct KernelBrick {
  const BrgemmKernel* of_beta[2];

  std::int64_t scratch_bytes() const { return 0; }

  template <class Team>
  void operator()(const Team&, int beta, const BrgemmCall& call, void*) const {
    (*of_beta[beta])(call);
  }

  template <class Team>
  void fill_zeros(const Team&, float* c, std::int64_t m, std::int64_t n, std::int64_t ld, CAccess access) const {
    brickwork::fill_zeros(c, m, n, ld, access);
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

  template <class Team>
  BRICKWORK_HOST_DEVICE void fill_zeros(const Team& team, T* c, std::int64_t m, std::int64_t n, std::int64_t ld,
                                        CAccess) const {
    for (std::int64_t i = team.rank(); i < m * n; i += team.size()) c[i / n * ld + i % n] = T(0);
  }
};

}  // namespace brickwork
