#include "primitives/batch_norm/batch_norm_plan.hpp"

#include <algorithm>

#include "primitives/nest/integers.hpp"
#include "primitives/planning/sweep_word.hpp"

namespace brickwork {
namespace {

// Only backward prefetches into L2. With it, inference, which reads its input once, takes up to 1.4 times as long, and
// forward takes no less time (Zen 4).
Sweep sweep_of(BatchNormPass pass, double tensor_bytes, const MachineModel& machine) {
  const Sweep sweep = machine.sweep_of(tensor_bytes);
  return sweep == Sweep::stream_l2 && pass != BatchNormPass::backward ? Sweep::stream : sweep;
}

// If the busiest thread has this many times the mean work, threads share each block instead.
constexpr double kFairWork = 1.15;

}  // namespace

const SizeTable<BatchNormPlan>& BatchNormPlan::table() {
  using P = BatchNormPlan;
  static const SizeTable<BatchNormPlan> table{
      .kind = "batch norm plan",
      .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                {.key = "blocks=", .column = "blocks", .member = &P::blocks}},
      .words = {choice("team or thread", {"team", "thread"}, &P::by_thread), sweep_word(&P::sweep)},
      .separator = ' ',
      .default_words = true};
  return table;
}

BatchNormPlan plan_batch_norm(const BatchNormProblem& p, BatchNormPass pass, std::int64_t bc,
                              const MachineModel& machine) {
  const bool backward = pass == BatchNormPass::backward;
  const std::int64_t all = ceil_div(p.C, bc), block = p.values() * bc * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t tensors = (backward ? 3 : 2) + (p.residual() ? 1 : 0);
  BatchNormPlan plan{
      .bc = bc, .blocks = all, .sweep = sweep_of(pass, static_cast<double>(tensors * all * block), machine)};
  if (pass == BatchNormPass::inference) return plan;
  // The bytes of a block that the caches hold for the second sweep. Outputs that pass through the caches displace their
  // own size.
  const std::int64_t swept = (past_caches(plan.sweep) ? (backward ? 2 : 1) : tensors) * block;
  const std::int64_t held = std::max(machine.l2_bytes * machine.threads, machine.l3_bytes) / 2;
  if (machine.threads * swept <= held && machine.imbalance(all) < kFairWork) {
    plan.by_thread = true;
    plan.blocks = 1;
  } else {
    plan.blocks = clamp(held / swept, 1, all);
  }
  return plan;
}

}  // namespace brickwork
