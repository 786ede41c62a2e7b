// How batch normalisation goes over memory.
#pragma once
#include <cstdint>

#include "kernels/layout/sweep.hpp"
#include "primitives/batch_norm/op/batch_norm_problem.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

// Its text is "bc=64 blocks=4 team cached", or thread and another word of kSweeps. But for bc it changes no bit of any
// result.
struct BatchNormPlan {
  static const SizeTable<BatchNormPlan>& table();

  std::int64_t bc = 0;  // channels of a block
  // So many blocks of channels, of all images, go through both sweeps of a pass before the next ones: so few that the
  // caches hold what the first sweep has read until the second one reads it, or one, of which the second sweep, as it
  // goes backwards, still finds what they do hold. All threads work on them; or each thread takes so many for itself,
  // so that none waits for another between the sweeps. (Part of a block's channels would be fewer still, but lines a
  // block apart are in so few sets of a cache that it holds no more of them: on Zen 4 8 MiB of every fourth line came
  // from memory, of an L3 of 32.)
  std::int64_t blocks = 0;
  bool by_thread = false;
  Sweep sweep = Sweep::cached;

  void validate() const { check_sizes(*this, kMaxTensorElements, "2^40"); }

  friend bool operator==(const BatchNormPlan&, const BatchNormPlan&) = default;
};

enum class BatchNormPass { forward, inference, backward };

// For blocks of bc channels, as what stands before and behind has them.
BatchNormPlan plan_batch_norm(const BatchNormProblem&, BatchNormPass, std::int64_t bc, const MachineModel&);

}  // namespace brickwork
