#include "primitives/conv/conv_variants.hpp"

#include <algorithm>
#include <set>

#include "kernels/base/floats.hpp"
#include "primitives/analysis/orders.hpp"
#include "primitives/analysis/traffic.hpp"
#include "primitives/conv/conv_accesses.hpp"
#include "primitives/conv/feature_blocks.hpp"
#include "primitives/conv/forward/conv_forward_body.hpp"
#include "primitives/conv/forward/conv_forward_touches.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// With fewer input features per block, a call's k is too short, so it also takes the taps of a filter row.
constexpr std::int64_t kFewInputFeatures = 16;
// Rows of a register tile of the brick, and pixels of a call that amortise it.
constexpr std::int64_t kRowsOfRegisterTile = 6, kCallPixels = 256, kPixelStep = 28;

using BlockSizes = std::vector<std::int64_t>;

// Largest first, each once.
BlockSizes distinct_blocks(std::initializer_list<std::int64_t> sizes) {
  BlockSizes all;
  for (const std::int64_t size : sizes) {
    if (size > 0 && std::ranges::find(all, size) == all.end()) all.push_back(size);
  }
  return all;
}

class ConvVariants {
 public:
  ConvVariants(const ConvView& p, const MachineModel& machine, Backend backend)
      : p_(p), machine_(machine), caches_(machine.caches()) {
    base_.pixels = flat_if(can_be_flat(p));
    if (p.S > 1 && p.C < kFewInputFeatures && takes_overlapping_rows(backend)) base_.taps = Taps::k;
    grid_ = pixel_grid(p, base_.pixels);
  }

  PlanVariants<ConvPlan> all(FeatureBlocks given) {
    for (const std::int64_t bk : given.bk > 0 ? BlockSizes{given.bk} : output_blocks()) {
      for (const std::int64_t bq : pixel_blocks()) {
        for (const std::int64_t bc : given.bc > 0 ? BlockSizes{given.bc} : input_blocks(bq)) {
          add_with_blocks(bc, bk, bq);
        }
      }
    }
    return std::move(found_);
  }

 private:
  // Tiles one vector wide read A once for every vector: with several taps it stays in L1 meanwhile. With the taps of a
  // filter row in k the processor decides.
  bool takes(std::int64_t block) const {
    const bool narrow = block <= kFloatsOfVector && p_.K > kFloatsOfVector;
    return block <= std::max(machine_.block(), machine_.few_registers ? 0 : kFiveVectors) &&
           (base_.taps == Taps::k ? narrow == machine_.narrow || p_.K <= kFloatsOfVector : !narrow || p_.R * p_.S > 1);
  }
  BlockSizes output_blocks() const {
    BlockSizes blocks;
    for (const std::int64_t block :
         {std::int64_t{64}, std::int64_t{48}, kFiveVectors, std::int64_t{32}, std::int64_t{16}}) {
      if (!takes(block) || (block == kFiveVectors && p_.K % block != 0)) continue;
      if (const std::int64_t size = std::min(p_.K, block); std::ranges::find(blocks, size) == blocks.end()) {
        blocks.push_back(size);
      }
    }
    return blocks;
  }

  // How a core reads a src from memory that meets each pixel once is a fact of the processor: as one long run, which
  // the hardware prefetches, in blocks, or a few lines of each pixel. If only one block of output features reads each
  // pixel, pixels come faster in the order of memory, with a tile's rows next to each other: ResNet-50's third and
  // fifth layers with 28 images are 5 to 8 % faster (Emerald Rapids), and with half a line 2 to 4 % faster (Zen 4).
  BlockSizes input_blocks(std::int64_t bq) const {
    constexpr std::int64_t half = kFloatsOfLine / 2, line = kFloatsOfLine, block = 64;
    const auto far = static_cast<double>(caches_.bytes[static_cast<std::size_t>(CachePlace::l3)]);
    const double bytes = 4.0 * static_cast<double>(p_.N * (p_.C * p_.H * p_.W + p_.K * p_.P * p_.Q));
    const bool stays = 4 * bq * p_.C <= machine_.l2_bytes / 2;  // while all blocks of output features read it
    const bool once = p_.R * p_.S == 1 && bytes > far * machine_.threads && stays;
    const auto equal = [&](std::int64_t most) { return equal_block(p_.C, most); };
    const bool lines = machine_.src == FarSrc::lines;
    const bool one_tile = p_.N * grid_.rows * grid_.cols <= kRowsOfRegisterTile;
    if (p_.R * p_.S == 1 && p_.K <= machine_.block() && !one_tile) return {equal(lines ? half : block / 2)};
    if (once && machine_.src == FarSrc::runs) return distinct_blocks({p_.C, equal(256)});
    if (once && machine_.src == FarSrc::blocks) return distinct_blocks({equal(block), equal(block / 2)});
    if (once && lines) return distinct_blocks({equal(line), equal(half)});
    return distinct_blocks({p_.C, equal(256), equal(64), equal(32), equal(16)});
  }
  BlockSizes pixel_blocks() const {
    const std::int64_t cols = grid_.cols;
    if (cols <= kPixelStep) return {cols};
    // Of multiples that the tile heights of every instruction set divide, the largest one that leaves no short block.
    std::int64_t even = kCallPixels / kPixelStep * kPixelStep;
    while (even > 0 && cols % even != 0) even -= kPixelStep;
    return distinct_blocks({equal_block(cols, kCallPixels), even, equal_block(cols, kCallPixels / 2),
                            equal_block(cols, kCallPixels / 4), equal_block(cols, kPixelStep)});
  }

  // Cuts that keep blocks of images, of output features or of rows, or parts of the sum, in a cache.
  std::vector<std::vector<LoopCut>> cuts(const std::vector<Loop>& loops) const {
    const auto extent = [&](int loop) { return loops[static_cast<std::size_t>(loop)].extent; };
    std::vector<std::vector<LoopCut>> cuts = {{}};
    for (const std::int64_t parts : {2, 4, 8}) {
      if (const std::int64_t Cb = extent(kCb); Cb >= parts) cuts.push_back({{"cb", {ceil_div(Cb, parts)}}});
    }
    const std::int64_t images = ceil_div(p_.N, machine_.threads);
    for (const std::int64_t step :
         distinct_blocks({std::min<std::int64_t>(images, 7), std::min<std::int64_t>(images, 4), 2})) {
      if (step > 1 && step < extent(kN)) cuts.push_back({{"n", {step, 1}}});
    }
    for (const std::int64_t parts : {2, 4}) {
      if (const std::int64_t Kb = extent(kKb); Kb >= 2 * parts) cuts.push_back({{"kb", {ceil_div(Kb, parts), 1}}});
      if (const std::int64_t rows = extent(kOj); rows >= 2 * parts)
        cuts.push_back({{"oj", {ceil_div(rows, parts), 1}}});
    }
    return cuts;
  }

  void add_with_blocks(std::int64_t bc, std::int64_t bk, std::int64_t bq) {
    ConvPlan plan = base_;
    plan.bc = bc, plan.bk = bk, plan.bq = bq;
    const auto touches = conv_forward_touches(p_, plan);
    if (!touches) return;
    ScheduledNest nest{*touches, {}};
    for (const std::vector<LoopCut>& cut : cuts(touches->loops)) {
      for (LoopSchedule& loops : orders(touches->loops, cut, {machine_.threads, {{"oj", "oi"}}, false})) {
        plan.loops = std::move(loops);
        add(plan, nest);
      }
    }
  }

  void add(const ConvPlan& plan, ScheduledNest& nest) {
    nest.levels = scheduled_levels(nest.touches.loops, plan.loops);
    const ScheduledNest share = share_of_a_thread(nest, machine_.threads);
    const RegisterTile tile{kAxisQ, kRowsOfRegisterTile};
    const Traffic moved = traffic(share, caches_, tile);
    VariantFacts facts;
    facts.read = moved.read(), facts.written = moved.written();
    facts.calls = moved.calls;
    facts.fmas = moved.points;
    facts.instructions_per_fma =
        instructions_per_multiply_add(plan.bk, std::min(plan.bq, grid_.cols), one_vector(), machine_.block());
    found_.plans.push_back(plan);
    set_accesses(found_.plans.back(), p_, machine_, moved);
    found_.variants.push_back({share, facts, tile});
  }

  OneVector one_vector() const {
    if (base_.taps == Taps::k) return machine_.narrow ? OneVector::cheap : OneVector::dear;
    return p_.R * p_.S > 1 ? OneVector::fair : OneVector::dear;
  }

  static constexpr int kAxisQ = 4;                  // of conv_forward_touches()
  static constexpr std::int64_t kFiveVectors = 80;  // features of two tiles, three and two vectors wide

  const ConvView& p_;
  const MachineModel& machine_;
  const CacheHierarchy caches_;
  ConvPlan base_;
  PixelGrid grid_{};
  PlanVariants<ConvPlan> found_;
};

}  // namespace

PlanVariants<ConvPlan> conv_variants(const ConvView& p, const MachineModel& machine, Backend backend,
                                     FeatureBlocks blocks) {
  return ConvVariants(p, machine, backend).all(blocks);
}

ConvPlan plan_conv(const ConvView& p, const MachineModel& machine, Backend backend, FeatureBlocks blocks) {
  return best_plan(conv_variants(p, machine, backend, blocks), machine.caches())
      .value_or(
          ConvPlan{.bc = blocks.bc, .bk = blocks.bk, .bq = 1});  // whose misfit says what is wrong with the blocks
}

}  // namespace brickwork
