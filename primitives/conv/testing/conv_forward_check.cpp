#include "conv/testing/conv_forward_check.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "conv/conv_pack.hpp"

namespace brickwork {

TestData conv_forward_test_data(const ConvProblem& p) {
  return make_checkable_test_data<ConvForwardOp>(p, Fill::integers);
}

BlockedConvForward::BlockedConvForward(const ActivationLayout& src_layout, const WeightLayout& weights_layout,
                                       const ActivationLayout& out, const PlainTensors& inputs)
    : dst_layout(out),
      src(static_cast<std::size_t>(src_layout.size())),
      weights(static_cast<std::size_t>(weights_layout.size())),
      bias(static_cast<std::size_t>(out.Cb() * out.bc)),
      residual(static_cast<std::size_t>(out.size())),
      dst(static_cast<std::size_t>(out.size())) {
  pack_nchw(src_layout, inputs.at<float>("src"), src.data());
  pack_kcrs(weights_layout, inputs.at<float>("weights"), weights.data());
  if (const float* plain = inputs.at<float>("bias")) std::copy_n(plain, out.C, bias.data());
  if (const float* plain = inputs.at<float>("residual")) pack_nchw(out, plain, residual.data());
  std::ranges::fill(dst, std::numeric_limits<float>::quiet_NaN());
}

std::string BlockedConvForward::wrong(const ConvProblem& p, const TestData& t) const {
  PlainTensors plain(ConvForwardOp::outputs(p));
  poison(plain);
  unpack_nchw(dst_layout, dst.data(), plain.at<float>("dst"));
  return compare(plain, t.expected, t.tolerance).reason;
}

namespace {

std::int64_t pick(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); }

// Mostly small; else around a few times the size of a block or tile.
std::int64_t size_around(std::int64_t block, std::int64_t times, std::int64_t small) {
  return pick(0, 2) > 0 ? pick(1, small) : std::max<std::int64_t>(1, block * pick(1, times) + pick(-2, 2));
}

}  // namespace

ConvProblem random_conv_problem() {
  ConvProblem p{.N = pick(1, 3), .C = size_around(64, 2, 20), .K = size_around(64, 2, 20), .H = pick(1, 9)};
  p.W = size_around(28, 4, 16);
  p.stride_h = pick(1, 3), p.stride_w = pick(1, 3), p.pad_h = pick(0, 3), p.pad_w = pick(0, 3);
  p.R = pick(1, std::min<std::int64_t>(5, p.H + 2 * p.pad_h));
  p.S = pick(1, std::min<std::int64_t>(5, p.W + 2 * p.pad_w));
  if (pick(0, 2) == 0) p.R = p.S = p.stride_h = p.stride_w = 1, p.pad_h = p.pad_w = 0;
  // Outputs that see nothing but padding are zeros, by which nothing could be checked.
  p.epilogue = {.bias = p.least_flops() == 0 || pick(0, 1) == 1, .residual = pick(0, 1) == 1, .relu = pick(0, 1) == 1};
  return p;
}

ConvPlan random_conv_plan(const ConvProblem& p) {
  ConvPlan plan{.bc = pick(1, p.C), .bk = pick(1, p.K)};
  plan.flat = can_be_flat(p) && pick(0, 1) == 1;
  const std::int64_t cols = pixel_grid(p, plan.flat).cols;
  plan.bq = pick(0, 2) == 0 ? cols : pick(1, cols);
  plan.prefetch_src = pick(0, 1) == 1;
  plan.stream_dst = pick(0, 1) == 1;
  plan.taps_in_k = pick(0, 1) == 1;
  std::vector<std::string> order = {"n", "kb", "cb", "oj", "oi", "n", "cb", "oj"};
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  for (auto it = order.begin(); it != order.end(); ++it) {
    const bool inner_follows = std::find(it + 1, order.end(), *it) != order.end();
    plan.loops.levels.push_back({*it, inner_follows ? pick(3, 5) : *it == "cb" ? pick(1, 2) : 1, false});
  }
  const auto first = *rc::gen::inRange<std::size_t>(0, order.size());
  for (std::size_t i = first; i < order.size() && order[i] != "cb"; ++i) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto here = order.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(begin, here, order[i]) != here) break;
    plan.loops.levels[i].parallel = true;
  }
  return plan;
}

}  // namespace brickwork
