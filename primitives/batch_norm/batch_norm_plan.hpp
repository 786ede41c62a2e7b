// How batch normalisation is blocked and goes over memory.
#pragma once
#include <cstdint>

#include "kernels/layout/sweep.hpp"
#include "primitives/batch_norm/op/batch_norm_problem.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// As text "bc=64 blocks=4 team cached"; thread may replace team, and another word of kSweeps may replace cached. Only
// bc changes bits of a result.
struct BatchNormPlan {
  static const SizeTable<BatchNormPlan>& table();

  std::int64_t bc = 0;  // channels of a block
  // Blocks of channels, of all images, that go through both sweeps of a pass before the next ones. They are so few that
  // the caches keep what the first sweep reads until the second sweep reads it. If no cache holds even one block, it is
  // 1, and the second sweep, which goes backwards, still finds what the caches hold. All threads work on these blocks
  // (team), or each thread has as many of its own and never waits between the sweeps (thread). A part of a block's
  // channels would be smaller, but its lines fall into so few sets of a cache that it holds no more of them: on Zen 4,
  // 8 MiB of every fourth line came from memory, with an L3 of 32 MiB.
  std::int64_t blocks = 0;
  bool by_thread = false;
  Sweep sweep = Sweep::cached;

  void validate() const { check_sizes(*this, kMaxTensorElements, "2^40"); }

  friend bool operator==(const BatchNormPlan&, const BatchNormPlan&) = default;
};

enum class BatchNormPass { forward, inference, backward };

// For blocks of bc channels, which the layers before and after have, too.
BatchNormPlan plan_batch_norm(const BatchNormProblem&, BatchNormPass, std::int64_t bc, const MachineModel&);

}  // namespace brickwork
