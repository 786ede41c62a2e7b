// How pooling goes over memory.
#pragma once
#include <cstdint>

#include "kernels/layout/sweep.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/pool/op/pool_problem.hpp"

namespace brickwork {

// Its text is "bc=64 cached", or another word of kSweeps. It changes no bit of any result.
struct PoolPlan {
  static const SizeTable<PoolPlan>& table();

  std::int64_t bc = 0;  // channels of a block
  Sweep sweep = Sweep::cached;

  void validate() const { check_sizes(*this, kMaxTensorElements, "2^40"); }

  friend bool operator==(const PoolPlan&, const PoolPlan&) = default;
};

// For blocks of bc channels, as what stands before and behind has them; of both passes.
PoolPlan plan_pool(const PoolProblem&, std::int64_t bc, const MachineModel&);

}  // namespace brickwork
