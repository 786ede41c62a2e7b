#include "primitives/conv/update/conv_update_variants.hpp"

#include <algorithm>

#include "primitives/analysis/orders.hpp"
#include "primitives/analysis/traffic.hpp"
#include "primitives/conv/feature_blocks.hpp"
#include "primitives/conv/update/conv_update_touches.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

class UpdateVariants {
 public:
  UpdateVariants(const ConvProblem& p, const MachineModel& machine)
      : p_(p), machine_(machine), caches_(machine.caches()) {
    base_.taps_in_m = p.S > 1 && p.C < kFewFeaturesOfUpdate;
    base_.pixels = flat_if(can_be_flat(p));
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
    return std::move(found_);
  }

 private:
  static constexpr std::int64_t kFewFeaturesOfUpdate = 16;  // with fewer, m has the taps of a filter row
  static constexpr std::int64_t kPixelsOfCall[] = {96, 200, 400, 784};
  static constexpr int kAxisC = 2;  // of conv_update_touches(): the rows of the brick

  std::vector<std::int64_t> blocks(std::int64_t features) const {
    const std::int64_t liked = machine_.block_of(features), half = equal_block(features, machine_.block() / 2);
    return liked == half ? std::vector{liked} : std::vector{liked, half};
  }

  // Pixels of a row into which a flat image is cut; 0: not cut.
  std::vector<std::int64_t> rows_of_flat() const {
    std::vector<std::int64_t> rows{0};
    const std::int64_t pixels = p_.P() * p_.Q();
    for (const std::int64_t most : kPixelsOfCall) {
      std::int64_t bq = std::min(most, pixels);
      while (pixels % bq != 0) --bq;
      if (base_.flat() && 2 * bq >= most && bq < pixels && std::ranges::find(rows, bq) == rows.end()) {
        rows.push_back(bq);
      }
    }
    return rows;
  }

  static void add_steps(std::vector<std::int64_t>& steps, std::int64_t step) {
    if (std::ranges::find(steps, step) == steps.end()) steps.push_back(step);
  }

  // The rows of an image, and the images, of a call.
  std::vector<std::pair<std::int64_t, std::int64_t>> sums(std::int64_t images, std::int64_t rows,
                                                          std::int64_t pixels) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> sums;
    for (const std::int64_t most : kPixelsOfCall) {
      const std::int64_t some = equal_block(rows, std::clamp<std::int64_t>(most / pixels, 1, rows));
      const std::int64_t more = some < rows ? 1 : equal_block(images, std::clamp(most / (rows * pixels), std::int64_t{1}, images));
      if (std::ranges::find(sums, std::pair{more, some}) == sums.end()) sums.emplace_back(more, some);
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
    const std::vector<Loop>& loops = touches->loops;  // n kb cb oj r s
    const std::int64_t pixels = p_.P() * p_.Q() / loops[3].extent;
    const std::int64_t share = ceil_div(p_.N, std::min<std::int64_t>(machine_.threads, p_.N));
    ScheduledNest nest{*touches, {}};
    for (const auto& [images, rows] : sums(p_.N, loops[3].extent, pixels)) {
      for (const std::int64_t k : parts_of(loops[1].extent)) {
        for (const std::int64_t c : parts_of(loops[2].extent)) {
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
      const Traffic moved = traffic(share, caches_, tile);
      found_.plans.push_back(std::move(plan));
      found_.variants.push_back({share, facts_of(moved), tile});
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

  static constexpr std::int64_t kRowsOfUpdateTile = 6;

  const ConvProblem& p_;
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

}  // namespace brickwork
