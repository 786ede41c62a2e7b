// The analytic choice of a plan: block sizes by rule, then the one of three loop orders that moves the fewest bytes
// between a core's L2 and what lies behind it.
#include <algorithm>
#include <cmath>

#include "conv/conv_plan.hpp"

namespace brickwork {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The size of equal blocks of at most `most`: C = 130 becomes 3 blocks of 44 rather than 64 + 64 + 2.
std::int64_t equal_block(std::int64_t size, std::int64_t most) { return ceil_div(size, ceil_div(size, most)); }

// 64 features are four AVX-512 vectors, the widest register tile; as many input features make a call's k long enough
// to hide the tile's start and end, and a block of weights (16 KiB) small against L1.
constexpr std::int64_t kFeatures = 64;
// Pixels of one call: enough to amortise it, and a multiple of every tile height that is used on 14, 28 and 56 pixels.
constexpr std::int64_t kPixels = 112;

struct Candidate {
  ConvPlan plan;
  double bytes;      // into L2 for one image
  double imbalance;  // the busiest thread's share over the mean, >= 1
};

class Chooser {
 public:
  Chooser(const ConvProblem& p, const MachineModel& machine, Backend backend) : p_(p), machine_(machine) {
    base_.bc = equal_block(p.C, kFeatures);
    base_.bk = equal_block(p.K, kFeatures);
    base_.flat = can_be_flat(p);
    base_.taps_in_k = p.S > 1 && takes_overlapping_rows(backend);
    rows_ = base_.flat ? 1 : p.P();
    cols_ = base_.flat ? p.P() * p.Q() : p.Q();
    cb_ = ceil_div(p.C, base_.bc);
    kb_ = ceil_div(p.K, base_.bk);
    weights_ = 4.0 * static_cast<double>(kb_ * cb_ * base_.bc * base_.bk * p.R * p.S);
    // Rows and pixels that a strided 1x1 kernel jumps over are not read.
    const std::int64_t rows_read = p.R < p.stride_h ? p.P() * p.R : p.H;
    const std::int64_t cols_read = p.S < p.stride_w ? p.Q() * p.S : p.W + 2 * p.pad_w;
    src_ = 4.0 * static_cast<double>(cb_ * base_.bc * rows_read * cols_read);
    dst_ = 4.0 * static_cast<double>(kb_ * base_.bk * p.P() * p.Q());
    l2_ = 0.75 * static_cast<double>(machine.l2_bytes);
  }

  ConvPlan choose() const {
    const Candidate candidates[] = {features_outside(), pixels_outside(), images_inside()};
    const auto cost = [&](const Candidate& c) {
      // A core computes about 32 flops in the time that it loads a byte from behind its L2.
      constexpr double kFlopsPerByte = 32;
      return c.imbalance * (p_.flops() / static_cast<double>(p_.N) + kFlopsPerByte * c.bytes);
    };
    return std::min_element(std::begin(candidates), std::end(candidates),
                            [&](const Candidate& a, const Candidate& b) { return cost(a) < cost(b); })
        ->plan;
  }

 private:
  struct Part {
    LoopSchedule::Level level;
    std::int64_t trips;
  };

  // Pixels and reduction below `outside`. The weights of one block of output features should stay in half of L2 while
  // the pixels pass by; where they are too many, the reduction is cut outside the pixels and C is met once per cut.
  std::vector<Part> with_reduction(std::vector<Part> outside, std::int64_t bq) const {
    const double slab = weights_ / static_cast<double>(kb_ * cb_);
    const std::int64_t fitting = std::max<std::int64_t>(1, static_cast<std::int64_t>(l2_ / 2 / slab));
    const std::int64_t step = fitting < cb_ ? equal_block(cb_, fitting) : cb_;
    const Part reduction{{"cb", step}, ceil_div(cb_, step)};
    if (step < cb_) outside.push_back(reduction);
    outside.push_back({{"oj", 1}, rows_});
    outside.push_back({{"oi", 1}, ceil_div(cols_, bq)});
    if (step == cb_) outside.push_back(reduction);
    return outside;
  }

  // Makes outer levels parallel, outermost first, until the threads are evenly loaded.
  Candidate spread(ConvPlan plan, std::vector<Part> parts, double bytes) const {
    std::int64_t tasks = 1;
    double imbalance = machine_.threads;
    std::size_t parallel = 0;
    while (imbalance > 1.05 && parallel < parts.size() && parts[parallel].level.name != "cb") {
      tasks *= parts[parallel++].trips;
      imbalance = static_cast<double>(ceil_div(tasks, machine_.threads) * machine_.threads) / static_cast<double>(tasks);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].level.parallel = i < parallel;
      plan.loops.levels.push_back(parts[i].level);
    }
    return {std::move(plan), bytes, imbalance};
  }

  // One block of output features at a time over a whole image: its weights are read once an image, and src stays in
  // L2 for the next block if it fits beside them.
  Candidate features_outside() const {
    ConvPlan plan = base_;
    plan.bq = equal_block(cols_, kPixels);
    const bool all_fit = weights_ + src_ / static_cast<double>(cb_) < l2_;
    const bool src_fits = src_ + weights_ / static_cast<double>(kb_) < l2_;
    const double bytes = (all_fit ? 0 : weights_) + (src_fits ? src_ : src_ * static_cast<double>(kb_)) + 2 * dst_;
    return spread(plan, with_reduction({{{"n", 1}, p_.N}, {{"kb", 1}, kb_}}, plan.bq), bytes);
  }

  // One block of pixels at a time over all output features: src is read once, the weights once a block of pixels
  // unless all of them stay in L2.
  Candidate pixels_outside() const {
    ConvPlan plan = base_;
    const auto pixel_bytes = static_cast<std::int64_t>(4 * cb_ * base_.bc);
    plan.bq = equal_block(cols_, std::clamp<std::int64_t>(machine_.l1_bytes / pixel_bytes, 28, kPixels));
    const std::int64_t blocks = rows_ * ceil_div(cols_, plan.bq);
    const double bytes = (weights_ < l2_ ? 0 : weights_ * static_cast<double>(blocks)) + src_ + 2 * dst_;
    return spread(plan,
                  {{{"n", 1}, p_.N}, {{"oj", 1}, rows_}, {{"oi", 1}, ceil_div(cols_, plan.bq)}, {{"kb", 1}, kb_},
                   {{"cb", cb_}, 1}},
                  bytes);
  }

  // Small images under many weights (the 7x7 layers): a block of output features over several images, whose pixels
  // share its weights out of L2.
  Candidate images_inside() const {
    ConvPlan plan = base_;
    plan.bq = equal_block(cols_, kPixels);
    const std::int64_t images_a_thread = ceil_div(p_.N * kb_, machine_.threads * kb_);
    const auto fitting = static_cast<std::int64_t>((l2_ - weights_ / static_cast<double>(kb_)) / src_);
    const std::int64_t images = std::clamp<std::int64_t>(fitting, 1, images_a_thread);
    const double bytes = weights_ / static_cast<double>(images) + src_ * static_cast<double>(kb_) + 2 * dst_;
    std::vector<Part> outside = {{{"kb", 1}, kb_}};
    if (images > 1) outside.push_back({{"n", images}, ceil_div(p_.N, images)});
    outside.push_back({{"n", 1}, images});
    return spread(plan, with_reduction(std::move(outside), plan.bq), bytes);
  }

  const ConvProblem& p_;
  const MachineModel& machine_;
  ConvPlan base_;
  std::int64_t rows_, cols_, cb_, kb_;
  double weights_, src_, dst_, l2_;  // bytes; src and dst of one image
};

}  // namespace

ConvPlan plan_conv_forward(const ConvProblem& problem, const MachineModel& machine, Backend backend) {
  return Chooser(problem, machine, backend).choose();
}

}  // namespace brickwork
