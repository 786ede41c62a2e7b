#include "primitives/pool/pool_plan.hpp"

#include "primitives/planning/sweep_word.hpp"

namespace brickwork {

const SizeTable<PoolPlan>& PoolPlan::table() {
  using P = PoolPlan;
  static const SizeTable<PoolPlan> table{.kind = "pool plan",
                                         .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc}},
                                         .words = {sweep_word(&P::sweep)},
                                         .separator = ' ',
                                         .default_words = true};
  return table;
}

PoolPlan plan_pool(const PoolProblem& p, std::int64_t bc, const MachineModel& machine) {
  const std::int64_t bytes = p.N * p.C * (p.H * p.W + p.P() * p.Q()) * static_cast<std::int64_t>(sizeof(float));
  return {.bc = bc, .sweep = machine.sweep_of(static_cast<double>(bytes))};
}

}  // namespace brickwork
