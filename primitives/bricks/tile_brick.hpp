// The interface through which a driver's body calls any brick, on host and device: brick(team, beta, call, scratch),
// and brick.fill_zeros(...) as in zeros.hpp.
#pragma once
#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/gpu/fma/brgemm_staged.hpp"
#include "kernels/layout/zeros.hpp"
#include "kernels/portable/brgemm_portable.hpp"
#include "primitives/nest/team_shared.hpp"

namespace brickwork {

// Kernels that a host backend made for one shape, one per beta. The team is the calling thread alone.
struct KernelBrick {
  static constexpr bool kReadsNext = true;  // uses BrgemmCall::read_next
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

template <class Team, class T>
BRICKWORK_HOST_DEVICE void fill_zeros_by_team(const Team& team, T* c, std::int64_t m, std::int64_t n, std::int64_t ld) {
  for (std::int64_t i = team.rank(); i < m * n; i += team.size()) c[i / n * ld + i % n] = T(0);
}

// All arguments of one brick call.
struct CallOfShape {
  BrgemmShape shape;
  BrgemmCall call;

  BRICKWORK_HOST_DEVICE void set(const BrgemmShape& of_brick, int beta, const BrgemmCall& of_body) {
    shape = of_brick, shape.beta = beta, call = of_body;
  }
};

// The portable brick: a team's threads share the tile of C. If `staged`, operands go through the task's scratch.
template <class T, class TC = T>
struct TeamBrick {
  BrgemmShape shape;
  bool staged;

  std::int64_t scratch_bytes() const { return staged ? staged_scratch<T>(shape) : 0; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, int beta, const BrgemmCall& call, void* scratch) const {
    TeamShared<CallOfShape, Team> of_team(team);
    of_team.update([&](CallOfShape& shared) { shared.set(shape, beta, call); });
    const auto& [with_beta, shared_call] = of_team.get();
    if (staged) {
      multiply_staged(team, with_beta, shared_call, static_cast<T*>(scratch));
    } else {
      multiply(team, with_beta, shared_call);
    }
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void fill_zeros(const Team& team, TC* c, std::int64_t m, std::int64_t n, std::int64_t ld,
                                        CAccess) const {
    fill_zeros_by_team(team, c, m, n, ld);
  }

 private:
  // Not inlined: each would take registers from the other and from the loops around them.
  template <class Team>
  BRICKWORK_HOST_DEVICE BRICKWORK_DEVICE_NOINLINE static void multiply_staged(const Team& team,
                                                                              const BrgemmShape& shape,
                                                                              const BrgemmCall& call, T* scratch) {
    brgemm_staged<T, TC>(team, shape, call, scratch);
  }
  template <class Team>
  BRICKWORK_HOST_DEVICE BRICKWORK_DEVICE_NOINLINE static void multiply(const Team& team, const BrgemmShape& shape,
                                                                       const BrgemmCall& call) {
    brgemm_portable<T, TC>(team, shape, call);
  }
};

}  // namespace brickwork
