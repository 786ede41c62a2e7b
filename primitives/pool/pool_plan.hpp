// How pooling is blocked and goes over memory.
#pragma once
#include <cstdint>

#include "kernels/layout/sweep.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/pool/op/pool_problem.hpp"

namespace brickwork {

// As text "bc=64 cached", or another word of kSweeps. The plan changes no bit of a result.
struct PoolPlan {
  static const SizeTable<PoolPlan>& table();

  std::int64_t bc = 0;  // channels of a block
  Sweep sweep = Sweep::cached;

  void validate() const { check_sizes(*this, kMaxTensorElements, "2^40"); }

  friend bool operator==(const PoolPlan&, const PoolPlan&) = default;
};

// For both passes, in blocks of bc channels, which the layers before and after have, too.
PoolPlan plan_pool(const PoolProblem&, std::int64_t bc, const MachineModel&);

}  // namespace brickwork
