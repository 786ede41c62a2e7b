// Runs a league of tasks on a Kokkos space. Only this file and the CUDA launcher (league_cuda.cuh) decide how a space
// spreads its work.
#pragma once
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/base/host_device.hpp"
#include "kernels/layout/stream_stores.hpp"
#include "kernels/portable/brgemm_portable.hpp"
#include "primitives/nest/kept.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace brickwork {

template <class Space>
requires Kokkos::is_execution_space_v<Space>
inline constexpr bool kSharesMemory<Space> =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

namespace league {

constexpr std::int64_t kAlignment = 64;  // bytes, of a task's scratch

template <class Member>
struct KokkosTeam {
  const Member& member;

  BRICKWORK_HOST_DEVICE int rank() const { return member.team_rank(); }
  BRICKWORK_HOST_DEVICE int size() const { return member.team_size(); }
  BRICKWORK_HOST_DEVICE void barrier() const { member.team_barrier(); }
};

template <class Functor>
struct ByOneThread {
  Functor functor;

  BRICKWORK_HOST_DEVICE void operator()(std::int64_t task) const {
    functor(OneThread{}, task, nullptr);
    finish_stores();
  }
};

template <class Member, class Functor>
struct ByTeam {
  Functor functor;
  std::int64_t scratch_bytes;
  int level;  // of Kokkos' scratch

  BRICKWORK_HOST_DEVICE void operator()(const Member& member) const {
    void* const scratch =
        scratch_bytes == 0 ? nullptr : member.team_scratch(level).get_shmem_aligned(scratch_bytes, kAlignment);
    functor(KokkosTeam<Member>{member}, std::int64_t{member.league_rank()}, scratch);
    finish_stores();
  }
};

}  // namespace league

// Calls functor(team, task, scratch) for the tasks 0 .. tasks - 1. Each task runs on a team of `team_size` threads and
// has its own scratch (null if scratch_bytes is 0). A task runs on the same threads in every run. On a host the call
// returns after the last task, when also non-temporal stores are visible; on a device it only enqueues the work. Throws
// std::invalid_argument if the space has no such teams, or too little scratch.
template <class Space, class Functor>
requires Kokkos::is_execution_space_v<Space>
void parallel_league(const Space& space, std::int64_t tasks, int team_size, std::int64_t scratch_bytes,
                     const Functor& functor) {
  constexpr const char* name = "brickwork::league";
  if constexpr (kSharesMemory<Space>) {
    if (team_size == 1 && scratch_bytes == 0) {
      const league::ByOneThread<Functor> task{functor};
      if (tasks == 1) return task(0);
      using Range = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
      return Kokkos::parallel_for(name, Range(space, 0, tasks), task);
    }
  }
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::Schedule<Kokkos::Static>>;
  const auto refuse = [](const char* what, std::int64_t asked, std::int64_t most) {
    throw std::invalid_argument("league on " + std::string(Space::name()) + ": " + std::to_string(asked) + " " + what +
                                " requested, but at most " + std::to_string(most) + " are available");
  };
  if (tasks > std::numeric_limits<int>::max()) refuse("tasks", tasks, std::numeric_limits<int>::max());
  const std::int64_t reserved = scratch_bytes == 0 ? 0 : scratch_bytes + league::kAlignment;
  const int level = reserved <= Policy::scratch_size_max(0) ? 0 : 1;
  if (reserved > Policy::scratch_size_max(level)) refuse("bytes of scratch", reserved, Policy::scratch_size_max(level));
  const league::ByTeam<typename Policy::member_type, Functor> task{functor, scratch_bytes, level};
  const auto policy = [&](int threads) {
    Policy of_threads(space, static_cast<int>(tasks), threads);
    of_threads.set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(reserved)));
    if constexpr (kSharesMemory<Space>) {
      return of_threads;
    } else {
      // Passes the functor as an argument: in Kokkos' buffer, a recorded graph would find a later launch's functor.
      return Kokkos::Experimental::require(of_threads, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    }
  };
  const int most = policy(1).team_size_max(task, Kokkos::ParallelForTag());
  if (team_size > most) refuse("threads per task", team_size, most);
#ifdef KOKKOS_ENABLE_OPENMP
  // Within a parallel region Kokkos opens no region of its own: only one thread of the team would silently do its part.
  if (std::is_same_v<Space, Kokkos::OpenMP> && team_size > 1 && omp_in_parallel() != 0) {
    refuse("threads per task within a parallel region", team_size, 1);
  }
#endif
  Kokkos::parallel_for(name, policy(team_size), task);
}

// Calls task(i) for i = 0 .. tasks - 1, each by one thread of the host.
template <class Task>
void for_each_on_host(std::int64_t tasks, const Task& task) {
  parallel_league(Kokkos::DefaultHostExecutionSpace(), tasks, 1, 0,
                  [&](const auto&, std::int64_t i, void*) { task(i); });
}

}  // namespace brickwork
