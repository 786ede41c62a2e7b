#include "conv/conv_gpu_plan.hpp"

#include <algorithm>

#include "conv/stride_phases.hpp"
#include "integers.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kBlockRows = 128, kBlockCols = 128;
constexpr std::int64_t kReducedAtOnce = 64;  // input features of a block: of bf16 a cache line
constexpr std::int64_t kCopiedAtOnce = 8;    // features that a copy of 16 bytes may hold

// Equal blocks, but of whole vectors where there are so many features.
std::int64_t feature_block(std::int64_t features, std::int64_t most) {
  if (features <= kCopiedAtOnce) return features;
  return std::min(features, whole_blocks(equal_block(features, most), kCopiedAtOnce));
}

}  // namespace

ConvPlan plan_conv_on_gpu(const ConvView& p) {
  ConvPlan plan{.bc = feature_block(p.C, kReducedAtOnce), .bk = feature_block(p.K, kBlockCols)};
  plan.flat = can_be_flat(p, SrcAccess::cached);
  plan.bq = std::min(pixel_grid(p, plan.flat).cols, kBlockRows);
  if (p.C < kCopiedAtOnce) plan.taps = Taps::k;  // a first layer's: members of three steps would be short ones
  plan.loops.levels = {
      {"n", 1, true}, {"oj", 1, true}, {"oi", 1, true}, {"kb", 1, true}, {"cb", ceil_div(p.C, plan.bc), false}};
  return plan;
}

ConvPlan plan_conv_backward_on_gpu(const ConvProblem& p) {
  const BackwardPhase most_taps = backward_phases(p).front();
  return most_taps.has_taps() ? plan_conv_on_gpu(most_taps.view) : ConvPlan{};
}

ConvUpdatePlan plan_conv_update_on_gpu(const ConvProblem& p, const GpuModel& gpu) {
  ConvUpdatePlan plan{.bc = feature_block(p.C, kBlockRows), .bk = feature_block(p.K, kBlockCols)};
  plan.flat = can_be_flat(p, SrcAccess::cached);
  plan.taps_in_m = p.C < kCopiedAtOnce;
  const std::int64_t tasks = ceil_div(p.C, plan.bc) * ceil_div(p.K, plan.bk) * p.R * (plan.taps_in_m ? 1 : p.S);
  const std::int64_t parts = clamp(ceil_div(2 * gpu.multiprocessors, tasks), 1, p.N);
  plan.loops.levels = {
      {"n", ceil_div(p.N, parts), true},   {"kb", 1, true}, {"cb", 1, true}, {"r", 1, true}, {"s", 1, true},
      {"oj", plan.flat ? 1 : p.P(), false}};
  return plan;
}

}  // namespace brickwork
