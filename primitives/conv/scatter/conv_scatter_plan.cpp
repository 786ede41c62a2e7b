#include "primitives/conv/scatter/conv_scatter_plan.hpp"

#include <algorithm>

#include "kernels/base/floats.hpp"
#include "primitives/planning/plan_text.hpp"

namespace brickwork {
namespace {

constexpr std::string_view kScatter = "scatter ";  // the text's first word

}  // namespace

const SizeTable<ConvScatterPlan>& ConvScatterPlan::table() {
  using P = ConvScatterPlan;
  static const auto table =
      plan_words<ConvScatterPlan>("scatter plan", {{"bc=", "bc", &P::bc}, {"bk=", "bk", &P::bk}, {"bq=", "bq", &P::bq}},
                                  {choice("ddst=cached or ddst=prefetch", {"ddst=cached", "ddst=prefetch"}, &P::asks)});
  return table;
}

std::string to_string(const ConvScatterPlan& plan) { return std::string(kScatter) + plan_text(plan); }

bool is_conv_scatter_plan(std::string_view text) { return text.starts_with(kScatter); }

ConvScatterPlan parse_conv_scatter_plan(std::string_view text) {
  return parse_plan<ConvScatterPlan>(is_conv_scatter_plan(text) ? text.substr(kScatter.size()) : text);
}

bool scatter_takes_less(const ConvProblem& p) {
  // Adding a vector of the tile into dsrc takes as long as this many multiply-adds (Zen 4).
  constexpr std::int64_t kAdd = 16;
  const std::int64_t taps = p.R * p.S;
  return ceil_div(taps * p.C, kFloatsOfVector) * (p.K + kAdd) < taps * ceil_div(p.C, kFloatsOfVector) * p.K;
}

ConvScatterPlan plan_conv_scatter(const ConvProblem& p, const MachineModel& machine, FeatureBlocks blocks) {
  ConvScatterPlan plan{.bc = blocks.bc > 0 ? blocks.bc : equal_block(p.K, 64),
                       .bk = blocks.bk > 0 ? blocks.bk : equal_block(p.C, 64)};
  // Prefetches of ddst make ResNet-50's first layer 4 to 7 % faster (Zen 4).
  const std::int64_t ddst_bytes = p.N * p.K * p.P() * p.Q() * static_cast<std::int64_t>(sizeof(float));
  plan.asks = ddst_bytes > machine.threads * machine.l2_bytes;
  const std::int64_t in_l2 = machine.l2_bytes / 8 / static_cast<std::int64_t>(sizeof(float));
  plan.bq = equal_block(p.Q(), std::clamp<std::int64_t>(in_l2 / (p.R * p.S * plan.bk), 1, p.Q()));
  const LoopSchedule::Level all_of_cb{"cb", ceil_div(p.K, plan.bc), false};
  const std::int64_t rows = ceil_div(p.P(), machine.threads);
  if (machine.imbalance(p.N) <= machine.imbalance(p.P()) || rows == 1) {
    plan.loops.levels = {{"n", 1, true}, {"kb", 1, false}, {"oj", 1, false}, {"oi", 1, false}, all_of_cb};
  } else {  // each thread has its own rows and its own copy of dsrc
    plan.loops.levels = {{"oj", rows, true}, {"n", 1, false},  {"kb", 1, false},
                         {"oj", 1, false},   {"oi", 1, false}, all_of_cb};
  }
  return plan;
}

}  // namespace brickwork
