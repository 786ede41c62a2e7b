#include "batch_norm/batch_norm_plan.hpp"

#include "integers.hpp"

namespace brickwork {

const SizeTable<BatchNormPlan>& BatchNormPlan::table() {
  using P = BatchNormPlan;
  static const SizeTable<BatchNormPlan> table{.kind = "batch norm plan",
                                              .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                                                        {.key = "blocks=", .column = "blocks", .member = &P::blocks}},
                                              .words = {choice("cached or stream", {"cached", "stream"}, &P::stream)},
                                              .separator = ' ',
                                              .default_words = true};
  return table;
}

BatchNormPlan plan_batch_norm(const BatchNormProblem& p, std::int64_t bc, int tensors, const MachineModel& machine) {
  const std::int64_t all = ceil_div(p.C, bc), block = p.values() * bc * static_cast<std::int64_t>(sizeof(float));
  // A thread meets the same rows in both sweeps. Half of its L2 is for what else passes by.
  const std::int64_t held = machine.l2_bytes / 2 * machine.threads / (tensors * block);
  // Fewer blocks than fit are of no use; more than fit are read anew anyhow, and two leagues for all are cheapest.
  return {.bc = bc, .blocks = held < 1 ? all : std::min(held, all), .stream = all * block > machine.l3_bytes};
}

}  // namespace brickwork
