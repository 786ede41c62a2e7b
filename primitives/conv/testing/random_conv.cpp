#include "primitives/conv/testing/random_conv.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "primitives/conv/op/conv_forward_op.hpp"

namespace brickwork {
namespace {

// Draws evenly from low .. high. RapidCheck's own ranges grow during a check, so that their high ends are rare.
std::int64_t pick(std::int64_t low, std::int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

// Draws some of the steps; relu is as frequent as all curves together.
Epilogue random_epilogue(const EpilogueSteps& has) {
  Epilogue e{.bias = has.bias && pick(0, 1) == 1, .residual = has.residual && pick(0, 1) == 1};
  if (has.activation || has.derivative) {
    e.activation =
        *rc::gen::element(Activation::none, Activation::none, Activation::none, Activation::relu, Activation::relu,
                          Activation::relu, Activation::sigmoid, Activation::tanh, Activation::gelu);
    e.derivative = has.derivative && e.activation != Activation::none;
  }
  return e;
}

// Mostly one of `sizes`, or one less or more; sometimes 1 to 12.
std::int64_t around(std::initializer_list<std::int64_t> sizes) {
  if (pick(0, 3) == 0) return pick(1, 12);
  return *rc::gen::elementOf(std::vector<std::int64_t>(sizes)) + pick(-1, 1);
}

// A number of input pixels that gives `outputs` outputs, or more if that would be less than one pixel. There may be
// pixels at the end that no output reads because of the stride.
std::int64_t input_size(std::int64_t outputs, std::int64_t stride, std::int64_t taps, std::int64_t pad) {
  return std::max<std::int64_t>(1, (outputs - 1) * stride + taps - 2 * pad + pick(0, stride - 1));
}

// Problems with more FLOPs get fewer images, filter rows and output rows, as the reference's plain loops are slow.
constexpr double kMostFlops = 2e6;

void make_quick(ConvProblem& p) {
  while (p.N > 1 && p.least_flops() > kMostFlops) --p.N;
  while (p.R > 1 && p.least_flops() > kMostFlops) --p.R;
  while (p.H > 1 && p.R < p.H + 2 * p.pad_h && p.least_flops() > kMostFlops) --p.H;
}

// If all outputs read only padding they are zeros, which check nothing; a bias changes that.
void make_checkable(ConvProblem& p) { p.epilogue.bias |= p.least_flops() == 0; }

// A schedule with one level per entry of `loops`, in random order; inner levels have smaller steps. Innermost levels of
// ranged loops have steps up to `most`. Some neighbours are parallel: may_be_parallel(outer levels, loop) decides
// whether a loop can be, and no loop is parallel twice.
template <class MayBeParallel>
LoopSchedule random_schedule(std::vector<std::string> loops, const std::vector<std::string>& ranged, std::int64_t most,
                             MayBeParallel may_be_parallel) {
  LoopSchedule schedule;
  for (std::size_t i = loops.size() - 1; i > 0; --i)
    std::swap(loops[i], loops[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(i)))]);
  for (auto it = loops.begin(); it != loops.end(); ++it) {
    const bool inner_follows = std::find(it + 1, loops.end(), *it) != loops.end();
    const bool is_ranged = std::ranges::find(ranged, *it) != ranged.end();
    schedule.levels.push_back({*it, inner_follows ? pick(most + 1, 5) : is_ranged ? pick(1, most) : 1, false});
  }
  const auto first = loops.begin() + pick(0, std::ssize(loops) - 1);
  for (auto here = first; here != loops.end(); ++here) {
    if (std::find(first, here, *here) != here) break;
    if (!may_be_parallel(std::vector(loops.begin(), here), *here)) break;
    schedule.levels[static_cast<std::size_t>(here - loops.begin())].parallel = true;
  }
  return schedule;
}

std::int64_t moved(std::int64_t size, std::int64_t block) {
  const std::int64_t blocks = (size + block - 1) / block + pick(0, 1);
  return std::max(block, blocks * block + pick(-1, 1));
}

}  // namespace

ConvProblem random_conv_problem() {
  ConvProblem p{.N = pick(1, 3)};
  p.C = around({16, 64, 128});                      // below 16 the filter's taps go into k
  p.K = around({8, 16, 32, 48, 64, 64, 128, 128});  // vectors of 8 and 16; full tiles of four vectors are more frequent
  std::int64_t Q = around({6, 7, 9, 13, 14, 28, 84, 256});  // rows of register tiles, and pixels of a call
  std::int64_t* const sizes[] = {&p.C, &p.K, &Q};
  std::int64_t& small = *sizes[pick(0, 2)];  // draws an index, as shrinking keeps drawn values longer than `p` lives
  small = std::min(small, pick(1, 24));      // three large sizes take too long
  p.R = pick(1, 5), p.S = pick(1, 5);
  p.stride_h = pick(1, 3), p.stride_w = pick(1, 3), p.pad_h = pick(0, 3), p.pad_w = pick(0, 3);
  if (pick(0, 3) == 0) {
    p.R = p.S = 1, p.pad_h = p.pad_w = 0;
    if (pick(0, 1) == 0) p.stride_h = p.stride_w = 1;
  }
  p.H = input_size(pick(1, 5), p.stride_h, p.R, p.pad_h);
  p.W = input_size(Q, p.stride_w, p.S, p.pad_w);
  p.epilogue = random_epilogue(ConvForwardOp::steps);
  make_quick(p);
  make_checkable(p);
  return p;
}

ConvProblem random_training_problem(const EpilogueSteps& has) {
  ConvProblem p = random_conv_problem();
  p.epilogue = random_epilogue(has);
  if (p.least_flops() == 0) p.pad_h = p.pad_w = 0, p.H = std::max(p.H, p.R), p.W = std::max(p.W, p.S);
  return p;
}

ConvPlan random_conv_plan(const ConvView& p) {
  const auto block = [](std::int64_t size) { return std::min(size, pick(0, 1) == 0 ? pick(1, size) : 64); };
  ConvPlan plan{.bc = block(p.C), .bk = block(p.K)};
  plan.src = static_cast<SrcAccess>(pick(0, 1));
  plan.pixels = flat_if(can_be_flat(p) && pick(0, 1) == 1);
  const std::int64_t cols = pixel_grid(p, plan.pixels).cols;
  plan.bq = pick(0, 2) == 0 ? cols : pick(1, cols);
  plan.weights = static_cast<WeightsAccess>(pick(0, 1));
  plan.dst = static_cast<CAccess>(pick(0, 2));
  plan.taps = static_cast<Taps>(pick(0, 1));
  plan.loops = random_schedule({"n", "kb", "cb", "oj", "oi", "n", "cb", "oj"}, {"cb"}, 2,
                               [](const auto&, const std::string& loop) { return loop != "cb"; });
  return plan;
}

ConvScatterPlan random_scatter_plan(const ConvProblem& p) {
  ConvScatterPlan plan{.bc = pick(1, p.K), .bk = pick(1, p.C), .bq = pick(1, p.Q()), .asks = pick(0, 1) == 1};
  plan.loops = random_schedule(
      {"n", "kb", "cb", "oj", "oi", "n", "cb", "oj"}, {"cb"}, 2, [](const auto& outside, const std::string& loop) {
        const auto has = [&](const char* name) { return std::ranges::count(outside, name) > 0; };
        return loop != "cb" && loop != "oi" && !(loop == "oj" && has("oj"));
      });
  return plan;
}

ConvUpdatePlan random_update_plan(const ConvProblem& p) {
  constexpr std::int64_t kMost = 70;
  ConvUpdatePlan plan{.bc = pick(1, std::min(p.C, kMost)), .bk = pick(1, std::min(p.K, kMost))};
  plan.taps_in_m = pick(0, 1) == 1;
  plan.loops = random_schedule({"n", "kb", "cb", "oj", "r", "s", "n", "oj", "kb"}, {"n", "oj"}, 3,
                               [](const auto& outside, const std::string& loop) {
                                 return loop != "oj" && std::ranges::count(outside, loop) == 0;
                               });
  plan.gathers = can_be_flat_copied(p) && pick(0, 1) == 1;
  plan.pixels = flat_if(plan.gathers || (can_be_flat(p) && pick(0, 1) == 1));
  if (plan.flat() && !plan.gathers && pick(0, 1) == 1) plan.bq = std::gcd(p.P() * p.Q(), pick(1, p.P() * p.Q()));
  return plan;
}

ConvProblem moved_to_block_boundaries(ConvProblem p, const ConvPlan& plan) {
  p.C = moved(p.C, plan.bc);
  p.K = moved(p.K, plan.bk);
  const std::int64_t cols = moved(pixel_grid(p, plan.pixels).cols, plan.bq);
  if (plan.flat()) {
    const std::int64_t P = cols % 3 == 0 ? 3 : cols % 2 == 0 ? 2 : 1;
    p.H = input_size(P, p.stride_h, p.R, p.pad_h);
    p.W = input_size(cols / P, p.stride_w, p.S, p.pad_w);
  } else {
    p.W = input_size(cols, p.stride_w, p.S, p.pad_w);
    make_quick(p);
  }
  make_checkable(p);
  return p;
}

}  // namespace brickwork
