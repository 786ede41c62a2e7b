#include "primitives/attention/attention_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kFeaturesOfABlock = 256;  // as in recurrent layers
// 94 GFLOP/s with tiles of 64 features, 84 with tiles of 256 (one Zen 4 core, L1 of 32 KiB).
constexpr std::int64_t kFeaturesOfATile = 64;
constexpr std::int64_t kFewFeatures = 16;
// Each tile of decoder steps reads all encoder steps again: with tiles of up to 128 instead of 64 steps, problems of 80
// to 192 steps take 0.86 to 0.96 of the time forward and 0.91 to 1.04 backward (Zen 5). A sum over encoder steps takes
// as many at a time; half as many is within 1 %.
constexpr std::int64_t kStepsOfATile = 128;
// Few, as a sequence that ends anywhere leaves half of them, on average, to a sum of its own.
constexpr std::int64_t kStepsOfUnequal = 16;

// Equal tiles; a prime number of features stays whole.
std::int64_t tile_of(std::int64_t bk) {
  for (std::int64_t tk = std::min(bk, kFeaturesOfATile); tk >= kFewFeatures; --tk) {
    if (bk % tk == 0) return tk;
  }
  return bk;
}

// As many tiles as keep all steps of a sequence within half of L2.
std::int64_t gathered_of(const AttentionProblem& p, const MachineModel& machine, std::int64_t bk, std::int64_t tk) {
  const std::int64_t of_a_feature = (p.T + p.S) * static_cast<std::int64_t>(sizeof(float));
  for (std::int64_t gk = bk; gk > tk; gk -= tk) {
    if (bk % gk == 0 && gk * of_a_feature <= machine.l2_bytes / 2) return gk;
  }
  return tk;
}

}  // namespace

const SizeTable<AttentionPlan>& AttentionPlan::table() {
  using P = AttentionPlan;
  static const SizeTable<AttentionPlan> table{.kind = "attention plan",
                                              .sizes = {{.key = "bk=", .column = "bk", .member = &P::bk},
                                                        {.key = "gk=", .column = "gk", .member = &P::gk},
                                                        {.key = "tk=", .column = "tk", .member = &P::tk},
                                                        {.key = "bt=", .column = "bt", .member = &P::bt},
                                                        {.key = "bs=", .column = "bs", .member = &P::bs}},
                                              .words = {},
                                              .separator = ' ',
                                              .default_words = true};
  return table;
}

AttentionPlan parse_attention_plan(std::string_view text) {
  const auto plan = parse_words<AttentionPlan>(text);
  check_sizes(plan, kMaxTensorElements, "2^40");
  return plan;
}

std::string misfit(const AttentionProblem& p, const AttentionPlan& plan) {
  if (plan.bk > p.K) return fmt::format("bk must be from 1 to K = {}", p.K);
  if (plan.bk % plan.gk != 0) return fmt::format("gk must divide bk = {}", plan.bk);
  if (plan.gk % plan.tk != 0) return fmt::format("tk must divide gk = {}", plan.gk);
  if (plan.bt > p.T) return fmt::format("bt must be from 1 to T = {}", p.T);
  if (plan.bs > p.S) return fmt::format("bs must be from 1 to S = {}", p.S);
  return {};
}

AttentionPlan plan_attention(const AttentionProblem& p, const MachineModel& machine) {
  AttentionPlan plan = plan_attention(p, machine, equal_block(p.K, kFeaturesOfABlock));
  // Forward has a task per sequence and tile of steps: with few sequences, tiles are smaller.
  const std::int64_t tiles = clamp(ceil_div(machine.threads, p.N), 1, p.T);
  plan.bt = std::min(plan.bt, ceil_div(p.T, tiles));
  return plan;
}

AttentionPlan plan_attention(const AttentionProblem& p, const MachineModel& machine, std::int64_t bk) {
  const std::int64_t tk = tile_of(bk);
  return {.bk = bk,
          .gk = gathered_of(p, machine, bk, tk),
          .tk = tk,
          .bt = equal_block(p.T, kStepsOfATile),
          .bs = p.unequal() ? std::min(p.S, kStepsOfUnequal) : equal_block(p.S, kStepsOfATile)};
}

}  // namespace brickwork
