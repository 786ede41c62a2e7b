// A weight update's plan: its text, and the rule that chooses it. The rule compares all ways to cut the gradient into
// parts that stay in a core's L2 while pixels pass, and a whole gradient with a copy per thread; it takes the one that
// moves the fewest bytes.
#include "primitives/conv/update/conv_update_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "primitives/conv/feature_blocks.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/planning/plan_text.hpp"

namespace brickwork {

const SizeTable<ConvUpdatePlan>& ConvUpdatePlan::table() {
  using P = ConvUpdatePlan;
  static const auto table = plan_words<ConvUpdatePlan>(
      "conv update plan", {{"bc=", "bc", &P::bc}, {"bk=", "bk", &P::bk}, {"bq=", "bq", &P::bq, 0}},
      {choice("rows, flat or joined", {"rows", "flat", "joined"}, &P::pixels),
       choice("taps=loop or taps=m", {"taps=loop", "taps=m"}, &P::taps_in_m),
       choice("src=cached or src=gathered", {"src=cached", "src=gathered"}, &P::gathers)});
  return table;
}

std::string to_string(const ConvUpdatePlan& plan) { return plan_text(plan); }

ConvUpdatePlan parse_conv_update_plan(std::string_view text) { return parse_plan<ConvUpdatePlan>(text); }

namespace {

// Pixels of a call: enough that its k hides reading and writing the gradient's tile. A 1x1 kernel reads each pixel once
// and from far, so fewer pixels are better: they stay close while the tile's rows pass. A larger kernel has read its
// pixels for another tap before: with 200 instead of 784, ResNet-50's 3x3 layers take 10 % longer (Emerald Rapids). For
// 1x1 kernels the tuning decides (pixels=few or many), except with a stride, where the lines of skipped pixels come,
// too: with 784 instead of 200, ResNet-50's seventh layer takes 7 % longer, also on Zen 5.
constexpr std::int64_t kDeepReduction = 784, kDeepReductionOfOneTap = 200;
// Pixels of a call over several images with reduction=shallow: both operands, 64 features wide, fill 48 KiB.
constexpr std::int64_t kShallowReduction = 96;
// Pixels of a 1x1 kernel's call with few registers: L1 keeps both operands, 32 features wide. With 96 instead of 192
// the weight update of fully connected layers takes 8 to 15 % less time (Zen 3).
constexpr std::int64_t kReductionOfFewRegisters = 96;
// With fewer input features than this, a call also takes the taps of a filter row.
constexpr std::int64_t kShortRows = 16;
// Costs are in flops that a core could have done in that time. A byte from behind L2, and a byte from L2.
constexpr double kFlopsPerFarByte = 8, kFlopsPerNearByte = 1;
// Gathering a byte. Forward, ResNet-50's twelfth and seventeenth layers were 11 and 3 % faster if src was not gathered.
constexpr double kFlopsPerGatheredByte = 12;
// Flops that hide one byte of src that comes from memory repeatedly. Blocks of 64 output features have this many flops
// per byte, blocks of 32 have half.
constexpr double kFlopsThatHideAByte = 32;

struct UpdateCandidate {
  ConvUpdatePlan plan;
  double cost = std::numeric_limits<double>::infinity();
};

class UpdateChooser {
 public:
  // of_row: the most pixels of a call if an image is one row; by default as many as L2 holds.
  UpdateChooser(const ConvProblem& p, const MachineModel& machine, FeatureBlocks blocks,
                std::optional<std::int64_t> of_row = {})
      : p_(p), machine_(machine), l2_(0.75 * static_cast<double>(machine.l2_bytes)) {
    deep_ = p.R * p.S > 1 ? kDeepReduction : kDeepReductionOfOneTap;
    base_.gathers =
        machine.few_registers && p.stride_h * p.stride_w > 1 && can_be_flat_copied(p) &&
        gathers_too_much((p.P() * p.Q() + kDeepReduction) * p.C * static_cast<std::int64_t>(sizeof(float))).empty();
    base_.pixels = flat_if(base_.gathers || can_be_flat(p));
    base_.taps_in_m = p.S > 1 && p.C < kShortRows;
    base_.bc = blocks.bc > 0 ? blocks.bc : machine.block_of(p.C);
    base_.bk = blocks.bk > 0 ? blocks.bk
                             : output_feature_block(p.K, base_.taps_in_m ? p.S * base_.bc : base_.bc, OneVector::dear,
                                                    machine.block());
    const bool many = machine.pixels == PixelsOfCall::many && p.stride_h * p.stride_w == 1, one_row = p.P() == 1;
    const std::int64_t most = one_row ? of_row.value_or(pixels_of_row()) : many ? kDeepReduction : deep_;  // per call
    if (base_.flat() && !base_.gathers && p.P() * p.Q() > (one_row ? most : 2 * most)) cut_image(most);
    kb_ = ceil_div(p.K, base_.bk);
    pixels_ = base_.bq > 0 ? base_.bq : base_.flat() ? p.P() * p.Q() : p.Q();
    rows_ = base_.flat() ? p.P() * p.Q() / pixels_ : p.P();
    rows_of_call_ = base_.flat() ? 1 : equal_block(rows_, std::min(rows_, ceil_div(most, pixels_)));
    cb_ = ceil_div(p.C, base_.bc);
    tile_ = 4.0 * static_cast<double>(p.R * p.S * base_.bc * base_.bk);
    src_ = 4.0 * static_cast<double>(cb_ * base_.bc * (base_.gathers ? p.P() * p.Q() : p.H * (p.W + 2 * p.pad_w)));
    ddst_ = 4.0 * static_cast<double>(kb_ * base_.bk * p.P() * p.Q());
  }

  std::int64_t pixels() const { return pixels_; }  // pixels of an output row

  UpdateCandidate best() const {
    UpdateCandidate best;
    const auto consider = [&](const UpdateCandidate& c) {
      if (c.cost < best.cost) best = c;
    };
    consider(whole());
    for_each_part(kb_, [&](std::int64_t k) { for_each_part(cb_, [&](std::int64_t c) { consider(in_parts(k, c)); }); });
    return best;
  }

 private:
  // Pixels of a call for an image of one row (a fully connected layer's minibatch): as many as L2 holds of both
  // operands. With 512 or 1024 features, 4096 pixels at once take 20 % longer than 1024; where L2 holds 1344 pixels,
  // 672 at once take 5 % longer (Zen 5, L2 of 1 MiB).
  std::int64_t pixels_of_row() const {
    return std::max(kShallowReduction, static_cast<std::int64_t>(l2_) / (4 * (base_.bc + base_.bk)));
  }

  // Cuts an image into equal rows of at most `most` pixels. If those would be shorter than half of `most`, the image
  // keeps its own rows.
  void cut_image(std::int64_t most) {
    std::int64_t bq = most;
    while (p_.P() * p_.Q() % bq != 0) --bq;
    base_.pixels = flat_if(2 * bq >= most);
    if (base_.flat()) base_.bq = bq;
  }

  // Calls on(blocks of a part) for every power of two of parts, made as equal as possible; smallest parts first.
  template <class On>
  static void for_each_part(std::int64_t blocks, const On& on) {
    for (auto parts = std::bit_ceil(static_cast<std::uint64_t>(blocks)); parts > 0; parts /= 2) {
      on(ceil_div(blocks, static_cast<std::int64_t>(parts)));
    }
  }

  // Images of a call; several if one image is too short a reduction.
  std::int64_t images_of_call(std::int64_t images) const {
    if (rows_of_call_ < rows_) return 1;
    const std::int64_t pixels = machine_.reduction == Reduction::shallow ? kShallowReduction : deep_;
    return equal_block(images, std::clamp<std::int64_t>(ceil_div(pixels, rows_ * pixels_), 1, images));
  }

  // The schedule without levels that would run once, because an outer level of their loop has no larger step.
  static LoopSchedule schedule(std::initializer_list<LoopSchedule::Level> levels) {
    LoopSchedule loops;
    for (const LoopSchedule::Level& level : levels) {
      const bool one_trip = std::ranges::any_of(
          loops.levels, [&](const auto& outer) { return outer.name == level.name && outer.step <= level.step; });
      if (!one_trip) loops.levels.push_back(level);
    }
    return loops;
  }

  // The largest part of the gradient, in bytes, that counts as coming from L2. If src is gathered, larger parts save
  // copies: with parts of all of L2, ResNet-50's seventeenth and sixteenth layers are 6 and 8 % faster (Zen 2).
  double most_near() const { return base_.gathers ? static_cast<double>(machine_.l2_bytes) : l2_ / 2; }

  // Cost of one image. Its src and ddst are read src_passes and ddst_passes times; the gradient has `parts` parts of
  // `part` bytes each.
  double cost(double src_passes, double ddst_passes, double part, double parts, std::int64_t images,
              double imbalance) const {
    const double of_src = kFlopsPerFarByte + (base_.gathers ? kFlopsPerGatheredByte : 0);
    const double passes = static_cast<double>(ceil_div(rows_, rows_of_call_)) / static_cast<double>(images);
    const double gradient = 2 * part * parts * passes;
    return imbalance * (p_.flops() / static_cast<double>(p_.N) + of_src * src_ * src_passes +
                        kFlopsPerFarByte * ddst_ * ddst_passes +
                        (part > most_near() ? kFlopsPerFarByte : kFlopsPerNearByte) * gradient);
  }

  // Imbalance of parts of k times c blocks, of which the last ones may be smaller. For two threads, parts of 8 and 4
  // blocks took 1.35 times as long as parts of 6 and 6 (Inception's layers of 768 features, Zen 5).
  double imbalance(std::int64_t k, std::int64_t c) const {
    const std::int64_t c_parts = ceil_div(cb_, c);
    return machine_.imbalance(ceil_div(kb_, k) * c_parts, [&](std::int64_t part) {
      return std::min(k, kb_ - part / c_parts * k) * std::min(c, cb_ - part % c_parts * c);
    });
  }

  // Cost of reading src again for each block of output features: a call's pixels of c blocks. It is 0 if L2 keeps them
  // beside ddst and k times c blocks of the gradient, or if L3 keeps src. Otherwise they come from memory, and the core
  // waits for what multiply-adds do not hide. With parts that L2 keeps, fully connected layers of 1344 images take 0.9
  // to 0.97 of the time with 2048 features and 0.8 with 4096 (AVX2 on Zen 4).
  double coming_back(std::int64_t k, std::int64_t c, std::int64_t images) const {
    const double pixels = 4.0 * static_cast<double>(rows_of_call_ * pixels_ * images);
    const double in_l2 = pixels * static_cast<double>(c * base_.bc + base_.bk) + tile_ * static_cast<double>(k * c);
    if (in_l2 <= l2_ || src_ <= static_cast<double>(machine_.l3_of_a_thread())) return 0;
    const double bytes = src_ * static_cast<double>(kb_), flops = p_.flops() / static_cast<double>(p_.N);
    return kFlopsPerFarByte * std::max(0.0, bytes - flops / kFlopsThatHideAByte);
  }

  // Parts of k times c blocks of the gradient, each of which stays in L2 while all pixels pass.
  UpdateCandidate in_parts(std::int64_t k, std::int64_t c) const {
    ConvUpdatePlan plan = base_;
    const std::int64_t images = images_of_call(p_.N), k_parts = ceil_div(kb_, k), c_parts = ceil_div(cb_, c);
    plan.loops = schedule(
        {{"kb", k, true}, {"cb", c, true}, {"n", images}, {"oj", rows_of_call_}, {"kb"}, {"cb"}, {"r"}, {"s"}});
    const double parts = static_cast<double>(k_parts * c_parts);
    return {plan, cost(static_cast<double>(k_parts), static_cast<double>(c_parts), tile_ * static_cast<double>(k * c),
                       parts, images, imbalance(k, c)) +
                      coming_back(k, c, images)};
  }

  // Each thread has its own images and its own copy of the gradient; the copies are summed at the end.
  UpdateCandidate whole() const {
    ConvUpdatePlan plan = base_;
    const std::int64_t share = ceil_div(p_.N, std::min<std::int64_t>(machine_.threads, p_.N));
    const std::int64_t images = images_of_call(share);
    plan.loops = schedule(
        {{"n", share, true}, {"n", images_of_call(share)}, {"oj", rows_of_call_}, {"kb"}, {"cb"}, {"r"}, {"s"}});
    const double part = tile_ * static_cast<double>(kb_ * cb_);
    const double sums = 3 * part * static_cast<double>(machine_.threads) / static_cast<double>(p_.N);
    return {plan, cost(1, 1, part, 1, images, machine_.imbalance(p_.N)) + kFlopsPerFarByte * sums};
  }

  const ConvProblem& p_;
  const MachineModel& machine_;
  const double l2_;
  ConvUpdatePlan base_;
  std::int64_t deep_, cb_, kb_, rows_, pixels_, rows_of_call_;
  double tile_, src_, ddst_;  // bytes: one block of the gradient; src and ddst of one image
};

// Cuts a call into calls of equal numbers of pixels, at most `most`, which follow each other. Does nothing if those
// would have less than half of `most` pixels.
void cut_call(ConvUpdatePlan& plan, std::int64_t pixels, std::int64_t most) {
  std::int64_t parts = ceil_div(pixels, most);
  while (pixels % parts != 0) ++parts;
  if (2 * pixels < most * parts) return;
  plan.bq = pixels / parts;
  for (auto& level : plan.loops.levels) {
    if (level.name == "oj") level.step *= parts;
  }
  plan.loops.levels.push_back({"oj", 1, false});
}

}  // namespace

ConvUpdatePlan plan_conv_update(const ConvProblem& problem, const MachineModel& machine, FeatureBlocks blocks) {
  const UpdateChooser most(problem, machine, blocks);
  UpdateCandidate best = most.best();
  for (std::int64_t of_row = most.pixels() / 2; problem.P() == 1 && of_row >= kShallowReduction; of_row /= 2) {
    UpdateCandidate fewer = UpdateChooser(problem, machine, blocks, of_row).best();
    if (fewer.cost < best.cost) best = std::move(fewer);
  }
  ConvUpdatePlan plan = best.plan;
  const std::int64_t pixels = plan.bq > 0 ? plan.bq : problem.P() * problem.Q();
  if (machine.few_registers && plan.flat() && !plan.gathers && pixels > kReductionOfFewRegisters) {
    cut_call(plan, pixels, kReductionOfFewRegisters);
  }
  return plan;
}

}  // namespace brickwork
