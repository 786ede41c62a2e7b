#include "primitives/conv/update/conv_update_variants.hpp"

#include <algorithm>

#include "primitives/analysis/orders.hpp"
#include "primitives/analysis/traffic.hpp"
#include "primitives/conv/feature_blocks.hpp"
#include "primitives/conv/update/conv_update_blocking.hpp"
#include "primitives/conv/update/conv_update_touches.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// Pixels over which a call sums. Of these the processor takes some, as its caches' ways and prefetchers decide what no
// size of a cache says: SimdTuning::reduction for several images, SimdTuning::pixels for 1x1 kernels without a stride.
constexpr std::int64_t kShallowCall = 96, kFewPixelsOfCall = 200, kSomePixelsOfCall = 400, kManyPixelsOfCall = 784,
                       kPixelsOfALongCall = 1600;

// With few registers L1 keeps both operands of a 1x1 kernel's call, 32 features wide: with 96 pixels instead of 192 the
// weight update of fully connected layers takes 8 to 15 % less time (AVX2 on Zen 3).
bool sums_over_few(const ConvProblem& p, const MachineModel& machine) {
  return machine.few_registers && p.R * p.S == 1;
}

// With few registers a strided 1x1 kernel first gathers the pixels that it reads.
bool gathers_pixels(const ConvProblem& p, const MachineModel& machine) {
  const std::int64_t bytes = (p.P() * p.Q() + kManyPixelsOfCall) * p.C * static_cast<std::int64_t>(sizeof(float));
  return machine.few_registers && p.stride_h * p.stride_w > 1 && can_be_flat_copied(p) &&
         gathers_too_much(bytes).empty();
}

// The problem of the gathered pixels.
ConvProblem gathered_problem(const ConvProblem& p) {
  ConvProblem dense = p;
  dense.H = p.P(), dense.W = p.Q(), dense.stride_h = dense.stride_w = 1;
  return dense;
}

class UpdateVariants {
 public:
  UpdateVariants(const ConvProblem& p, const MachineModel& machine)
      : gathers_(gathers_pixels(p, machine)),
        p_(gathers_ ? gathered_problem(p) : p),
        machine_(machine),
        caches_(machine.caches()) {
    constexpr std::int64_t kShortRows = 16;  // with fewer input features, a call also takes the taps of a filter row
    base_.taps_in_m = p.S > 1 && p.C < kShortRows;
    base_.pixels = flat_if(can_be_flat(p_));
  }

  PlanVariants<ConvUpdatePlan> all(FeatureBlocks given) {
    for (const std::int64_t bk : given.bk > 0 ? std::vector{given.bk} : blocks(p_.K)) {
      for (const std::int64_t bc : given.bc > 0 ? std::vector{given.bc} : blocks(p_.C)) {
        for (const std::int64_t bq : rows_of_flat()) {
          base_.bc = bc, base_.bk = bk, base_.bq = bq;
          add_with_blocks();
        }
      }
    }
    for (ConvUpdatePlan& plan : found_.plans) plan.gathers = gathers_;
    return std::move(found_);
  }

 private:
  static constexpr int kAxisC = 2;  // of conv_update_touches(): the rows of the brick
  static constexpr std::int64_t kRowsOfUpdateTile = 6;

  // Pixels of a call, at most.
  std::vector<std::int64_t> pixels_of_call() const {
    const bool one_tap = p_.R * p_.S == 1, stride = gathers_ || p_.stride_h * p_.stride_w > 1;
    if (sums_over_few(p_, machine_)) return {kShallowCall};
    if (machine_.reduction == Reduction::shallow && p_.P() * p_.Q() < kShallowCall) return {kShallowCall};
    if (p_.P() == 1) return {kFewPixelsOfCall, kSomePixelsOfCall, kManyPixelsOfCall, kPixelsOfALongCall};
    if (!one_tap || stride) return {kFewPixelsOfCall, kSomePixelsOfCall, kManyPixelsOfCall};
    if (machine_.pixels == PixelsOfCall::few) return {kShallowCall, kFewPixelsOfCall};
    return {kSomePixelsOfCall, kManyPixelsOfCall};
  }

  std::vector<std::int64_t> blocks(std::int64_t features) const {
    const std::int64_t liked = machine_.block_of(features), half = equal_block(features, machine_.block() / 2);
    std::vector<std::int64_t> blocks{liked};
    if (half != liked) blocks.push_back(half);
    constexpr std::int64_t kFiveVectorsOfUpdate = 80;  // two tiles, three and two vectors wide
    if (!machine_.few_registers && features % kFiveVectorsOfUpdate == 0) blocks.push_back(kFiveVectorsOfUpdate);
    return blocks;
  }

  // Pixels of a row into which a flat image is cut; 0: not cut.
  std::vector<std::int64_t> rows_of_flat() const {
    std::vector<std::int64_t> rows;
    const std::int64_t pixels = p_.P() * p_.Q();
    for (const std::int64_t most : pixels_of_call()) {
      std::int64_t bq = std::min(most, pixels);
      while (pixels % bq != 0) --bq;
      if (!base_.flat() || gathers_ || 2 * bq < most || bq == pixels) bq = 0;
      if (std::ranges::find(rows, bq) == rows.end()) rows.push_back(bq);
    }
    return rows;
  }

  struct Sum {
    std::int64_t images, rows;  // of a call
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  std::vector<Sum> sums(std::int64_t rows, std::int64_t pixels) const {
    std::vector<Sum> sums;
    for (const std::int64_t most : pixels_of_call()) {
      Sum sum{1, equal_block(rows, std::clamp<std::int64_t>(most / pixels, 1, rows))};
      if (sum.rows == rows) sum.images = equal_block(p_.N, std::clamp<std::int64_t>(most / (rows * pixels), 1, p_.N));
      if (std::ranges::find(sums, sum) == sums.end()) sums.push_back(sum);
    }
    return sums;
  }

  static std::vector<std::int64_t> parts_of(std::int64_t blocks) {
    std::vector<std::int64_t> parts{blocks};
    while (parts.back() > 1) parts.push_back(ceil_div(parts.back(), 2));
    return parts;
  }

  void add_with_blocks() {
    const auto touches = conv_update_touches(p_, base_);
    if (!touches) return;
    ScheduledNest nest{*touches, {}};
    const auto extent = [&](int loop) { return touches->loops[static_cast<std::size_t>(loop)].extent; };
    using L = ConvUpdateLoop;
    const std::int64_t share = ceil_div(p_.N, std::min<std::int64_t>(machine_.threads, p_.N));
    for (const auto& [images, rows] : sums(extent(L::oj), p_.P() * p_.Q() / extent(L::oj))) {
      for (const std::int64_t k : parts_of(extent(L::kb))) {
        for (const std::int64_t c : parts_of(extent(L::cb))) {
          add_orders(nest, {{"n", {images}}, {"oj", {rows}}, {"kb", {k, 1}}, {"cb", {c, 1}}});
        }
      }
      // A copy of the gradient for each thread.
      if (share < p_.N) add_orders(nest, {{"n", {share, std::min(images, share)}}, {"oj", {rows}}});
    }
  }

  void add_orders(ScheduledNest& nest, const std::vector<LoopCut>& cuts) {
    const OrderLimits limits{.threads = machine_.threads,
                             .outside = {{"n", "oj"}, {"kb", "r"}, {"cb", "r"}, {"r", "s"}},
                             .cuts_outermost = true};
    for (LoopSchedule& loops : orders(nest.touches.loops, cuts, limits)) {
      ConvUpdatePlan plan = base_;
      plan.loops = std::move(loops);
      nest.levels = scheduled_levels(nest.touches.loops, plan.loops);
      const ScheduledNest share = share_of_a_thread(nest, machine_.threads);
      const RegisterTile tile{kAxisC, kRowsOfUpdateTile};
      found_.plans.push_back(std::move(plan));
      found_.variants.push_back({share, facts_of(traffic(share, caches_, tile)), tile});
    }
  }

  VariantFacts facts_of(const Traffic& moved) const {
    const std::int64_t rows = base_.taps_in_m ? p_.S * base_.bc : base_.bc;
    return {.read = moved.read(),
            .written = moved.written(),
            .fmas = moved.points,
            .calls = moved.calls,
            .instructions_per_fma = instructions_per_multiply_add(base_.bk, rows, OneVector::dear, machine_.block())};
  }

  const bool gathers_;
  const ConvProblem p_;
  const MachineModel& machine_;
  const CacheHierarchy caches_;
  ConvUpdatePlan base_;
  PlanVariants<ConvUpdatePlan> found_;
};

}  // namespace

PlanVariants<ConvUpdatePlan> conv_update_variants(const ConvProblem& p, const MachineModel& machine,
                                                  FeatureBlocks blocks) {
  return UpdateVariants(p, machine).all(blocks);
}

ConvUpdatePlan plan_conv_update(const ConvProblem& p, const MachineModel& machine, FeatureBlocks blocks) {
  auto found = conv_update_variants(p, machine, blocks);
  for (const std::size_t i : ranked(best_ranking(), found.variants, machine.caches())) {
    const ConvUpdatePlan& plan = found.plans[i];
    // A task may not have room for all pixels that a plan gathers.
    if (!plan.gathers || ConvUpdateBlocking::make(p, plan)) return plan;
  }
  return {.bc = blocks.bc, .bk = blocks.bk};  // its misfit says what is wrong with the blocks
}

}  // namespace brickwork
