#include "attention/attention_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "integers.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kFeaturesOfABlock = 256;  // as recurrent layers' blocks
constexpr std::int64_t kStepsOfATile = 64;       // the brick's four vectors
// Few, as sequences that end anywhere leave half of them to a sum of its own.
constexpr std::int64_t kStepsOfUnequal = 16;

}  // namespace

const SizeTable<AttentionPlan>& AttentionPlan::table() {
  using P = AttentionPlan;
  static const SizeTable<AttentionPlan> table{.kind = "attention plan",
                                              .sizes = {{.key = "bk=", .column = "bk", .member = &P::bk},
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
  if (plan.bt > p.T) return fmt::format("bt must be from 1 to T = {}", p.T);
  if (plan.bs > p.S) return fmt::format("bs must be from 1 to S = {}", p.S);
  return {};
}

AttentionPlan plan_attention(const AttentionProblem& p, const MachineModel&) {
  return {.bk = equal_block(p.K, kFeaturesOfABlock),
          .bt = equal_block(p.T, kStepsOfATile),
          .bs = p.unequal() ? std::min(p.S, kStepsOfUnequal) : equal_block(p.S, kStepsOfATile)};
}

}  // namespace brickwork
