#include "primitives/rnn/rnn_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/base/floats.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/rnn/rnn_geometry.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kRowsOfCall = 256;
// Features of a block that a layer reads: the brick's k. With 256 instead of 64, forward takes 2 % less time on a Zen 4
// and the same on a Zen 5. With 128 the weight update, which has these features side by side in its A, takes 1 % less
// than with either on a Zen 5.
constexpr std::int64_t kFeaturesOfCall = 128;

// As above, for one sequence: its single row waits for the weights. With 256 features, and one gate in each call, LSTMs
// and GRUs forward take 5 to 15 % less time; with two or more sequences they do not (Zen 5).
constexpr std::int64_t kFeaturesOfOne = 256;

// The blocks of features. Four gates share a tile; a single gate has one for itself.
RnnPlan features_of(const RnnProblem& p) {
  const bool together = (p.cell == RnnCell::lstm || p.cell == RnnCell::lbr_gru) && p.N > 1;
  const std::int64_t bk =
      together ? kColumnsOfTile / 4 : whole_blocks(equal_block(p.K, kColumnsOfTile), kFloatsOfVector);
  const std::int64_t most = p.N > 1 ? kFeaturesOfCall : kFeaturesOfOne;
  return {.bc = equal_block(p.C, most), .bh = bk * equal_block(ceil_div(p.K, bk), most / bk), .bk = bk};
}

// Whether each thread should have its own sequences instead of its own features. Then no state comes from another core
// and no thread waits, but all weights pass through each thread. The fewer multiply-adds a half of a step has per
// element of the state, the more this saves. If the cores share no L3, the time is multiplied by 0.85 with 512
// multiply-adds (plain layers of 256 features), 0.9 with 768 (GRUs), 0.97 with 2048 (LSTMs) and up to 1.02 with 4096;
// if they share one, it does not change. With 16 sequences it is multiplied by 1.03 to 1.07. (Zen 4, two threads.)
bool own_sequences(const RnnProblem& p, int threads) {
  constexpr std::int64_t kRowsOfOwn = 64, kMultiplyAdds = 2048;
  const std::int64_t features = std::max(p.features(0), p.features(p.L - 1)) + p.K;
  const std::int64_t halves = p.cell == RnnCell::gru ? 2 : 1;
  return p.N >= kRowsOfOwn * threads && p.gates() * features <= kMultiplyAdds * halves;
}

}  // namespace

const SizeTable<RnnPlan>& RnnPlan::table() {
  using P = RnnPlan;
  static const SizeTable<RnnPlan> table{.kind = "rnn plan",
                                        .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                                                  {.key = "bh=", .column = "bh", .member = &P::bh},
                                                  {.key = "bk=", .column = "bk", .member = &P::bk},
                                                  {.key = "bn=", .column = "bn", .member = &P::bn},
                                                  {.key = "steps=", .column = "steps", .member = &P::steps}},
                                        .words = {},
                                        .separator = ' ',
                                        .default_words = true};
  return table;
}

RnnPlan parse_rnn_plan(std::string_view text) {
  const auto plan = parse_words<RnnPlan>(text);
  check_sizes(plan, kMaxTensorElements, "2^40");
  return plan;
}

std::string misfit(const RnnProblem& p, const RnnPlan& plan) {
  if (plan.bc > p.C) return fmt::format("bc must be from 1 to C = {}", p.C);
  if (plan.bk % kFloatsOfVector != 0) return fmt::format("bk must be a multiple of {}", kFloatsOfVector);
  if (plan.bh % plan.bk != 0) return "bh must be a multiple of bk";
  const std::int64_t all = whole_blocks(p.K, plan.bk);
  if (plan.bh > all) return fmt::format("bh must be at most K rounded up to a multiple of bk, {}", all);
  if (plan.bn > p.N) return fmt::format("bn must be from 1 to N = {}", p.N);
  if (plan.steps > p.T) return fmt::format("steps must be from 1 to T = {}", p.T);
  return {};
}

RnnPlan plan_rnn(const RnnProblem& p, const MachineModel& machine) {
  RnnPlan plan = features_of(p);
  plan.bn = equal_block(own_sequences(p, machine.threads) ? ceil_div(p.N, machine.threads) : p.N, kRowsOfCall);
  // If sequences are few, several steps share a call with x, so that its weights are worth fetching.
  if (plan.bn == p.N) plan.steps = clamp(kRowsOfCall / p.N, 1, p.T);
  return plan;
}

RnnPlan plan_rnn_on_gpu(const RnnProblem& p, std::int64_t multiprocessors) {
  constexpr std::int64_t kRowsOfX = 16384;  // rows of all steps that have gates in memory: some per multiprocessor
  RnnPlan plan = features_of(p);
  plan.bn = sequences_of_gpu_task(p.N, ceil_div(p.K, plan.bk), multiprocessors);
  plan.steps = clamp(kRowsOfX / p.N, 1, p.T);
  return plan;
}

}  // namespace brickwork
