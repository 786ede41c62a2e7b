// The rule that chooses a plan: block sizes first, then the cheapest of three loop orders, by a model of the bytes that
// move between a core's L2 and the memory behind it.
#include <algorithm>
#include <limits>

#include "kernels/base/floats.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/feature_blocks.hpp"
#include "primitives/nest/integers.hpp"

namespace brickwork {
namespace {

// Input features of a block: enough that a call's k hides the start and the end of a tile.
constexpr std::int64_t kFeatures = 64;
// Smaller blocks if only one block of output features reads each pixel, as such pixels come faster in the order of
// memory, with a tile's rows next to each other: ResNet-50's third and fifth layers with 28 images are 5 to 8 % faster,
// layers with src in L2 are as fast (Emerald Rapids). With src=lines half a line is better: the fifth layer is 2 to 4 %
// faster with 28 images and with one (Zen 4).
constexpr std::int64_t kFeaturesReadOnce = 32, kHalfLine = 8;
// Pixels of one call: at most kPixels, which is enough to amortise the call. If a row is cut, a multiple of kPixelStep,
// which the tile heights of every instruction set divide or nearly divide.
constexpr std::int64_t kPixels = 256;
constexpr std::int64_t kPixelStep = 28;

std::int64_t pixel_block(std::int64_t row, std::int64_t most) {
  if (row <= most) return row;
  const std::int64_t largest = std::max(kPixelStep, most / kPixelStep * kPixelStep);
  for (std::int64_t block = largest; block >= kPixelStep; block -= kPixelStep) {
    if (row % block == 0) return block;  // a short block at the end would leave a thread idle
  }
  return std::min(row, largest);
}

// With fewer input features per block, a call's k is too short, so it also takes the taps of a filter row. With more,
// separate taps are 2 % faster.
constexpr std::int64_t kShortReduction = 16;
// With fewer FMAs per output, the time goes into storing dst, and wide rows are stored fastest.
constexpr std::int64_t kFewFmas = 64;
// With at least this many FMAs per output, stores past the caches cost nothing, and they halve the traffic of dst:
// ResNet-50's fourth layer is 5 % faster (Emerald Rapids).
constexpr std::int64_t kManyFmas = 512;
// Unless FMAs are few, a core waits for stores past the caches if rows of dst are single lines: ResNet-50's first layer
// is 5 % slower with them, and 8 % faster if the lines of dst are prefetched instead.
constexpr std::int64_t kOneLine = kFloatsOfLine;

constexpr std::int64_t kRowsOfTile = 6;  // rows of a register tile

// Costs are in flops that a core could have done in that time. The start and the end of a call: 2 to 4 % of the time of
// a strided 1x1 layer whose calls have 7 pixels with 256 features (Zen 5).
constexpr double kFlopsPerCall = 15000;
// A byte that is brought into L2. Weights stall the brick, as every tile streams through them. src is prefetched one
// call ahead, but still comes slowly from memory.
constexpr double kFlopsPerWeightByte = 8;
constexpr double kFlopsPerSrcByte = 6;
constexpr double kFlopsPerMemoryByte = 16;
// A byte of weights that every call brings from L2 into L1, although it could have stayed there: 2 to 3 % of the time
// of ResNet-50's seventh layer backward by data, 1 % of its second (Zen 5).
constexpr double kFlopsPerL2Byte = 0.6;

// Threads count as evenly loaded up to this imbalance.
constexpr double kEven = 1.05;

// Too few tasks load threads unevenly: for a fully connected layer of 300 features, two threads had 3 and 2 blocks of
// 64. Blocks of half the features are twice as many, but a little slower themselves. With 10 blocks of 32 this layer is
// 1.1 to 1.2 times as fast with 16 to 333 images, and one of 320 features with one image 1.2 to 1.4 times (Zen 5).
constexpr double kPriceOfHalf = 1.1;

// If the costs of plans differ by less than this, the first plan wins. It keeps weights in L1 longest, which the costs
// only count for weights that stay there as a whole.
constexpr double kTie = 0.005;

struct Candidate {
  ConvPlan plan;
  double moving;     // cost of moving an image's src and weights, in flops
  double imbalance;  // work of the busiest thread over the mean, >= 1
};

class Chooser {
 public:
  Chooser(const ConvView& p, const MachineModel& machine, Backend backend, FeatureBlocks blocks)
      : p_(p), machine_(machine), given_bc_(blocks.bc > 0), l2_(0.75 * static_cast<double>(machine.l2_bytes)) {
    if (p.S > 1 && p.C < kShortReduction && takes_overlapping_rows(backend)) base_.taps = Taps::k;
    base_.pixels = flat_if(can_be_flat(p));
    const PixelGrid grid = pixel_grid(p, base_.pixels);
    const std::int64_t pixels = std::min(grid.cols, kPixels);
    base_.bk = blocks.bk > 0 ? blocks.bk : output_feature_block(p.K, pixels, one_vector(), machine.block());
    const std::int64_t a_feature = 4 * base_.bk * p.R * p.S;
    // One call for all input features if their weights fill at most half of L2: in several parts, each would read and
    // write dst again, and 1x1 layers with 2048 features took 1 to 5 % longer (Zen 5).
    whole_ = p.C * a_feature <= machine.l2_bytes / 2;
    const std::int64_t in_l2 = static_cast<std::int64_t>(l2_ / 2) / a_feature;
    base_.bc = whole_ ? p.C : equal_block(p.C, std::max(kFeatures, in_l2));
    rows_ = grid.rows;
    cols_ = grid.cols;
    kb_ = ceil_div(p.K, base_.bk);
    dst_ = 4.0 * static_cast<double>(kb_ * base_.bk * p.rows * p.cols);
    if (base_.flat() && kb_ == 1)
      base_.bc = equal_block(p.C, machine.src == FarSrc::lines ? kHalfLine : kFeaturesReadOnce);
    // If there are fewer images than threads, threads share an image's pixels and each pixel is in one L2 only.
    in_l1_ = p.N >= machine.threads && p.C * a_feature <= machine.l1_bytes * 2 / 3;
    if (in_l1_) base_.bc = features_of_far_src();
    // The pixels of a call stay in L1 while all blocks of output features, each one vector wide, use them.
    if (base_.bk <= kOneLine && p.K > kOneLine && p.R * p.S > 1)
      base_.bc = std::min(base_.bc, equal_block(p.C, features_in_l1(pixels)));
    // If all pixels fit one tile, each weight is read once and need not stay in L2: a fully connected layer of 2048
    // features takes 3 to 10 % less time with one image and 1 to 2 % less with four (Zen 5).
    if (p.N * grid.rows * grid.cols <= kRowsOfTile) base_.bc = p.C;
    if (given_bc_) base_.bc = blocks.bc;
    cb_ = ceil_div(p.C, base_.bc);
    weights_ = 4.0 * static_cast<double>(kb_ * cb_ * base_.bc * base_.bk * p.R * p.S);
    // Rows and pixels that a kernel smaller than its stride skips are not read.
    const std::int64_t rows_read = p.R < p.stride_h ? p.rows * p.R : p.H;
    const std::int64_t cols_read = p.S < p.stride_w ? p.cols * p.S : p.W + 2 * p.room_w;
    src_ = 4.0 * static_cast<double>(cb_ * base_.bc * rows_read * cols_read);
  }

  std::vector<Candidate> candidates() const { return {features_outside(), pixels_outside(), images_inside()}; }

  double cost(const Candidate& c) const {
    const auto calls = static_cast<double>(kb_ * rows_ * ceil_div(cols_, c.plan.bq));
    return c.imbalance * (p_.flops() / static_cast<double>(p_.N) + kFlopsPerCall * calls + c.moving);
  }

 private:
  // FMAs per stored output; the pixels between those of a phase are stored too, but need no FMAs.
  bool has_few_fmas() const { return p_.C * p_.R * p_.S < kFewFmas * p_.step_h * p_.step_w; }

  // With several taps a pixel stays in L1 from tap to tap; with a 1x1 kernel it is read once.
  OneVector one_vector() const {
    if (has_few_fmas() && beyond_l3(4.0 * static_cast<double>(p_.K * p_.rows * p_.cols), p_.N)) return OneVector::dear;
    if (base_.taps == Taps::k) return machine_.narrow ? OneVector::cheap : OneVector::dear;
    return p_.R * p_.S > 1 ? OneVector::fair : OneVector::dear;
  }

  // Input features per block for src that comes from memory once. This excludes filters with several taps, which read a
  // pixel several times, and src that stays in L3 beside dst.
  std::int64_t features_of_far_src() const {
    const double image = 4.0 * static_cast<double>(p_.C * p_.H * p_.W);
    if (p_.R * p_.S > 1 || !beyond_l3(image + dst_, p_.N) || machine_.src == FarSrc::runs) return base_.bc;
    return std::min(base_.bc, equal_block(p_.C, machine_.src == FarSrc::lines ? kOneLine : kFeatures));
  }

  // Input features for which the src of a call with this many output pixels stays in L1.
  std::int64_t features_in_l1(std::int64_t pixels) const {
    const std::int64_t read = p_.R * ((pixels - 1) * p_.stride_w + p_.S);
    return std::max(kShortReduction, machine_.l1_bytes * 2 / 3 / (4 * read));
  }

  // Whether this is more than L3 still holds at the next use. L3 is shared with other tensors, other cores and often
  // other programs. With a busy neighbour, 5.6 MB of src came from memory in spite of an L3 of 32 MB. On two cores of a
  // virtual machine with an L3 of 260 MB, a 1x1 layer was 6 % faster if its 11 MB of dst were stored past it.
  bool beyond_l3(double bytes_an_image, std::int64_t images) const {
    constexpr double kShareOfACore = 5e6;
    const double ours = std::min(static_cast<double>(machine_.l3_bytes) / 8, kShareOfACore * machine_.threads);
    return bytes_an_image * static_cast<double>(images) > ours;
  }

  // Weights from memory come too late for a call's first tile, unless an earlier call prefetches them. With prefetches
  // a fully connected layer of 4096 features takes 15 % less time with 24 images, 10 % less with 32, 3 to 6 % less with
  // 12, 64 and 128, up to 5 % less with 16, the same with 1344, and 2 % more with 8. With 2560 features it takes 4 to
  // 6 % less; with 2048, whose weights L3 holds, the same or up to 3 % more (Zen 5).
  WeightsAccess access_of_weights() const {
    constexpr std::int64_t kFewPixels = 8;
    const bool far = !machine_.l3_holds(weights_), few = p_.N * rows_ * cols_ <= kFewPixels;
    return far && !few ? WeightsAccess::prefetch : WeightsAccess::cached;
  }

  CAccess access_of_dst(const ConvPlan& plan, bool once) const {
    if (dst_ * static_cast<double>(p_.N) <= l2_ * machine_.threads) return CAccess::cached;
    if (!once || !beyond_l3(dst_, p_.N)) return CAccess::prefetch;
    // The zeros between the pixels of a phase are stored past the caches, too: ResNet-50's twelfth layer backward by
    // data is 8 % faster (Zen 4).
    if (p_.step_h * p_.step_w > 1) return CAccess::stream;
    if (has_few_fmas() || (p_.C * p_.R * p_.S >= kManyFmas && plan.bk > kOneLine)) return CAccess::stream;
    return plan.bk > kOneLine ? machine_.far : CAccess::prefetch;
  }

  // Whether calls prefetch src that comes from memory. A pixel that is one long run in memory needs no prefetch. On
  // machines that prefer src=blocks, half a KiB is not long: ResNet-50's second, fourth and eighth layers are 1 to 3 %
  // faster with prefetches, but 2 % slower with runs of 2 KiB (Zen 5).
  bool asks_for_src(const ConvPlan& plan) const {
    constexpr std::int64_t kLongRun = 256;
    const bool short_run = plan.taps == Taps::batch && plan.bc < kLongRun;
    return plan.bc < p_.C || (machine_.src != FarSrc::runs && short_run);
  }

  // Cuts a row into equal blocks if threads share it for want of other tasks: a short block at its end would leave a
  // thread idle. For two threads, the 49 pixels of ResNet-50's last strided layers are 25 + 24; 28 + 21 took 5 to 10 %
  // longer with one image. The 333 images of a fully connected layer are 167 + 166; 252 + 81 took 8 % longer (Zen 5).
  std::int64_t shared_pixels(std::int64_t bq, std::int64_t tasks) const {
    return machine_.imbalance(tasks) > kEven ? equal_block(cols_, bq) : bq;
  }

  struct Part {
    LoopSchedule::Level level;
    std::int64_t trips;
  };

  // The loop over cb blocks of bc input features. Its steps are all blocks if `at_once`, otherwise as many as have
  // weights (for one block of output features) that stay in L2 while pixels pass.
  Part reduction(std::int64_t cb, std::int64_t bc, bool at_once) const {
    const double slab = 4.0 * static_cast<double>(bc * base_.bk * p_.R * p_.S);
    const std::int64_t fitting = std::max<std::int64_t>(1, static_cast<std::int64_t>(l2_ / 2 / slab));
    const std::int64_t step = at_once || fitting >= cb ? cb : equal_block(cb, fitting);
    return {{"cb", step}, ceil_div(cb, step)};
  }

  // Adds the loops over pixels and reduction inside `outside`. The weights of one block of output features should stay
  // in L2 while the pixels pass. If they are too many, the reduction is cut outside the pixels, and dst is read and
  // written once per cut.
  std::vector<Part> with_reduction(std::vector<Part> outside, std::int64_t bq, std::int64_t images = 1) const {
    const Part sum = reduction(cb_, base_.bc, whole_);
    if (sum.trips > 1) outside.push_back(sum);
    if (images > 1) outside.push_back({{"n", 1}, images});
    outside.push_back({{"oj", 1}, rows_});
    outside.push_back({{"oi", 1}, ceil_div(cols_, bq)});
    if (sum.trips == 1) outside.push_back(sum);
    return outside;
  }

  // Makes outer levels parallel, outermost first, until the threads are evenly loaded.
  Candidate spread(ConvPlan plan, std::vector<Part> parts, double moving) const {
    std::int64_t tasks = 1;
    double imbalance = machine_.threads;
    std::size_t parallel = 0;
    const auto can_be_parallel = [&](std::size_t i) {
      const auto same_loop = [&](const Part& outer) { return outer.level.name == parts[i].level.name; };
      return parts[i].level.name != "cb" && std::none_of(parts.begin(), parts.begin() + i, same_loop);
    };
    while (imbalance > kEven && parallel < parts.size() && can_be_parallel(parallel)) {
      tasks *= parts[parallel++].trips;
      imbalance = machine_.imbalance(tasks);
    }
    if (beyond_l3(src_, p_.N) && asks_for_src(plan)) plan.src = SrcAccess::prefetch;
    bool once = false;  // dst is written once; further parts of the reduction would read it back from memory
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].level.parallel = i < parallel;
      plan.loops.levels.push_back(parts[i].level);
      once |= parts[i].level.name == "cb" && parts[i].trips == 1;
    }
    plan.weights = access_of_weights();
    plan.dst = access_of_dst(plan, once);
    return {std::move(plan), moving, imbalance};
  }

  // Cuts an image of one row (a fully connected layer's minibatch) into equal parts whose src L3 keeps for the next
  // block of output features. In three parts, 4096 features with 1344 images take 0.93 of the time (AVX2 on Zen 4), and
  // 0.97 with AVX-512, whose blocks of output features are twice as large. A shorter last part would leave a thread
  // idle: 4096 images took 1.09 times as long.
  Part part_of_row(std::int64_t bq) const {
    const std::int64_t blocks = ceil_div(cols_, bq),
                       parts = ceil_div(static_cast<std::int64_t>(src_), machine_.l3_of_a_thread());
    const bool equal = rows_ == 1 && cols_ % bq == 0 && blocks % parts == 0;
    if (equal && kb_ > 1 && parts < blocks) return {{"oi", blocks / parts}, parts};
    return {{"oi", blocks}, 1};
  }

  // One block of output features at a time over a whole image: its weights are read once per image, and src stays in L2
  // for the next block if it fits beside them.
  Candidate features_outside() const {
    ConvPlan plan = base_;
    plan.bq = shared_pixels(pixel_block(cols_, kPixels), p_.N * kb_ * rows_);
    const bool all_stay = weights_ + src_ + dst_ < l2_;
    constexpr double kL2WithoutWeights = 0.8;
    const double room =
        in_l1_ ? kL2WithoutWeights * static_cast<double>(machine_.l2_bytes) : l2_ - weights_ / static_cast<double>(kb_);
    const Part part = part_of_row(plan.bq);
    const double moving = kFlopsPerWeightByte * (all_stay ? 0 : weights_) * static_cast<double>(part.trips) +
                          kFlopsPerSrcByte * src_ * (src_ < room ? 1 : static_cast<double>(kb_));
    std::vector<Part> outside = {{{"n", 1}, p_.N}};
    if (part.trips > 1) outside.push_back(part);
    outside.push_back({{"kb", 1}, kb_});
    return spread(plan, with_reduction(std::move(outside), plan.bq), moving);
  }

  // One block of pixels at a time over all output features: src is read once, and the weights once per block of pixels
  // unless all of them stay in L2.
  Candidate pixels_outside() const {
    ConvPlan plan = base_;
    if (!given_bc_) plan.bc = features_of_far_src();
    if (plan.bc < base_.bc) plan.src = SrcAccess::prefetch;
    const std::int64_t cb = ceil_div(p_.C, plan.bc);
    const std::int64_t in_l2 = machine_.l2_bytes / 8 / (4 * cb * plan.bc);
    plan.bq = shared_pixels(pixel_block(cols_, std::clamp(in_l2, kPixelStep, kPixels)), p_.N * rows_);
    const std::int64_t blocks = ceil_div(cols_, plan.bq);
    const double price = weights_ >= l2_ ? kFlopsPerWeightByte : in_l1_ ? kFlopsPerL2Byte : 0;
    // Every register tile of a call reads the call's weights. If L2 does not hold them, each tile reads them from
    // memory: 17 % of the time of a fully connected layer of 4096 features and 16 images (Zen 5).
    const Part sum = reduction(cb, plan.bc, plan.bq <= kRowsOfTile);
    return spread(plan, {{{"n", 1}, p_.N}, {{"oj", 1}, rows_}, {{"oi", 1}, blocks}, {{"kb", 1}, kb_}, sum},
                  price * weights_ * static_cast<double>(rows_ * blocks) + kFlopsPerSrcByte * src_);
  }

  // For small images with many weights (the 7x7 layers): the weights of a block of output features stay in L2 while
  // several images pass.
  Candidate images_inside() const {
    constexpr std::int64_t kMostImagesOfATask = 7;
    ConvPlan plan = base_;
    plan.bq = pixel_block(cols_, kPixels);
    const std::int64_t images = equal_block(ceil_div(p_.N, machine_.threads), kMostImagesOfATask);
    std::vector<Part> outside = {{{"n", images}, ceil_div(p_.N, images)}, {{"kb", 1}, kb_}};
    // Their src is read again for every block of output features: from L3, or from memory if L3 does not keep it.
    const double price = beyond_l3(src_, machine_.threads * images) ? kFlopsPerMemoryByte : kFlopsPerSrcByte;
    return spread(
        plan, with_reduction(std::move(outside), plan.bq, images),
        kFlopsPerWeightByte * weights_ / static_cast<double>(images) + price * src_ * static_cast<double>(kb_));
  }

  const ConvView& p_;
  const MachineModel& machine_;
  const bool given_bc_;
  const double l2_;
  ConvPlan base_;
  std::int64_t rows_, cols_, cb_, kb_;
  bool in_l1_, whole_;          // weights of a block of output features stay in L1, or in L2, while pixels pass
  double weights_, src_, dst_;  // bytes; src and dst: per image
};

}  // namespace

ConvPlan plan_conv(const ConvView& problem, const MachineModel& machine, Backend backend, FeatureBlocks blocks) {
  Candidate best{};
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](FeatureBlocks with, double price) {
    const Chooser chooser(problem, machine, backend, with);
    for (const Candidate& candidate : chooser.candidates()) {
      const double cost = price * chooser.cost(candidate);
      if (cost > (1 - kTie) * least) continue;
      least = cost;
      best = candidate;
    }
  };
  consider(blocks, 1);
  const std::int64_t half = best.plan.bk / 2;
  if (blocks.bk == 0 && best.imbalance > kEven && half % kOneLine == 0) {
    consider({.bc = blocks.bc, .bk = half}, kPriceOfHalf);
  }
  return best.plan;
}

}  // namespace brickwork
