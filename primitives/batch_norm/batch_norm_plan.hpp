// How batch normalisation goes over memory.
#pragma once
#include <cstdint>

#include "batch_norm_problem.hpp"
#include "machine_model.hpp"
#include "size_table.hpp"

namespace brickwork {

// Its text is "bc=64 blocks=4 team cached", or thread and stream. But for bc it changes no bit of any result.
struct BatchNormPlan {
  static const SizeTable<BatchNormPlan>& table();

  std::int64_t bc = 0;  // channels of a block
  // So many blocks of channels, of all images, go through both sweeps of a pass before the next ones: all of them, or
  // so few that the caches hold what the first sweep has read until the second one reads it. All threads work on them;
  // or each thread takes so many for itself, so that none waits for another between the sweeps.
  std::int64_t blocks = 0;
  bool by_thread = false;
  bool stream = false;  // outputs are stored past the caches

  void validate() const { check_sizes(*this, kMaxTensorElements, "2^40"); }

  friend bool operator==(const BatchNormPlan&, const BatchNormPlan&) = default;
};

// For blocks of bc channels, as what stands before and behind has them; a pass reads and writes so many tensors of
// images.
BatchNormPlan plan_batch_norm(const BatchNormProblem&, std::int64_t bc, int tensors, const MachineModel&);

}  // namespace brickwork
