// How a recursive model is lowered and blocked.
#pragma once
#include <string_view>

#include "primitives/op/size_table.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/recursive/lowering/program.hpp"
#include "primitives/recursive/structures/schedule.hpp"

namespace brickwork {

// Numbers 0 and 1 switch a pass off and on. As text "bk=64 rows=64 levels=1 leaves=1 hoist=1 fuse=1 dense=1 persist=1
// few=1 subtrees=0 unroll=0 refactor=0".
struct RecursivePlan {
  static const SizeTable<RecursivePlan>& table();

  std::int64_t bk = 0;    // features of a block: a thread's part of the weights is some blocks
  std::int64_t rows = 0;  // of one brick call, at most; if a node has more children, their number
  // Passes. lowering/program.hpp explains leaves, hoist and fuse.
  std::int64_t levels = 1;  // all nodes of a level together; 0: one node after the other
  std::int64_t leaves = 1, hoist = 1, fuse = 1;
  std::int64_t dense = 1;    // values between stages lie by place in the level; 0: by place among all nodes
  std::int64_t persist = 1;  // one parallel region in which each thread keeps its blocks; 0: one for each stage
  std::int64_t few = 1;      // levels of at most six rows have kernels of their own, which read weights once
  // At most one of these; in inference. schedule.hpp explains them.
  std::int64_t subtrees = 0, unroll = 0, refactor = 0;

  LoweringPasses passes() const { return {.leaves = leaves != 0, .hoist = hoist != 0, .fuse = fuse != 0}; }
  Division division() const {
    return subtrees != 0   ? Division::subtrees
           : unroll != 0   ? Division::unrolled
           : refactor != 0 ? Division::moved
                           : Division::shared;
  }
  friend bool operator==(const RecursivePlan&, const RecursivePlan&) = default;
};

// Throws std::invalid_argument that names the wrong word.
RecursivePlan parse_recursive_plan(std::string_view text);

// Why the plan does not fit, in one sentence; empty if it fits.
std::string misfit(std::int64_t H, const RecursivePlan&);

// The analytic choice for the host.
RecursivePlan plan_recursive(std::int64_t H, const MachineModel&);

// The analytic choice for a GPU: a tile for each block of features.
RecursivePlan plan_recursive_on_gpu(std::int64_t H);

}  // namespace brickwork
