// How pooling goes over memory.
#pragma once
#include <cstdint>

#include "machine_model.hpp"
#include "pool_problem.hpp"
#include "size_table.hpp"
#include "sweep.hpp"

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
