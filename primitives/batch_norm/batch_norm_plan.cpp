#include "batch_norm/batch_norm_plan.hpp"

#include <algorithm>

#include "integers.hpp"

namespace brickwork {
namespace {

// The busiest thread's work over the mean from which on threads had better share each block.
constexpr double kFair = 1.15;

}  // namespace

const SizeTable<BatchNormPlan>& BatchNormPlan::table() {
  using P = BatchNormPlan;
  static const SizeTable<BatchNormPlan> table{.kind = "batch norm plan",
                                              .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                                                        {.key = "blocks=", .column = "blocks", .member = &P::blocks}},
                                              .words = {choice("team or thread", {"team", "thread"}, &P::by_thread),
                                                        choice("cached or stream", {"cached", "stream"}, &P::stream)},
                                              .separator = ' ',
                                              .default_words = true};
  return table;
}

BatchNormPlan plan_batch_norm(const BatchNormProblem& p, std::int64_t bc, int tensors, const MachineModel& machine) {
  const std::int64_t all = ceil_div(p.C, bc);
  const std::int64_t block = p.values() * bc * static_cast<std::int64_t>(sizeof(float)), swept = tensors * block;
  BatchNormPlan plan{.bc = bc, .blocks = all, .stream = all * block > machine.l3_bytes};
  if (swept <= machine.l2_bytes / 2 && machine.imbalance(all) < kFair) {
    plan.by_thread = true;
    plan.blocks = 1;
  } else if (const std::int64_t held = std::max(machine.l2_bytes * machine.threads, machine.l3_bytes) / 2 / swept;
             held > 0) {
    plan.blocks = std::min(held, all);
  }  // what no cache holds is read anew anyhow, and a pass over all is cheapest
  return plan;
}

}  // namespace brickwork
