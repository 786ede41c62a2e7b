// Convolution backward by data by scattering, on one page: five loops around the brick, whose tile of C is added into
// dsrc.
//
//   window[oi][r, s, kb] = sum over cb of ddst[n][cb][oj][oi] * weights[kb][cb][r, s]
//   dsrc[n][kb][row r of oj][tap s of oi] += window[oi][r, s]
//
// For a first layer, whose few input features would leave most lanes of a vector idle. Here n has the filter's taps,
// too: 7 x 7 x 3 = 147 columns. The tile stays in L1, unlike that of col2im, which does the same through memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/base/floats.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/layout/layout.hpp"
#include "kernels/layout/zeros.hpp"
#include "primitives/conv/forward/conv_forward_body.hpp"
#include "primitives/conv/scatter/conv_scatter_plan.hpp"
#include "primitives/conv/scatter/overlap_add.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

// The problem and the plan in the form that the loops need. As everywhere in this pass, kb counts blocks of dsrc's
// features and cb blocks of ddst's. Distances are in elements.
struct ConvScatterGeometry {
  ConvProblem p;
  ConvScatterPlan plan;
  ActivationLayout ddst, dsrc;

  // Distance between rows of weights and of windows: whole cache lines, as vectors across two lines load slowly.
  std::int64_t window() const { return whole_blocks(p.R * p.S * plan.bk, kFloatsOfLine); }
  std::int64_t weights_cb() const { return plan.bc * window(); }
  std::int64_t weights_kb() const { return ddst.Cb() * weights_cb(); }
  BrgemmShape brick_shape() const {
    return {.m = static_cast<int>(plan.bq),
            .n = static_cast<int>(window()),
            .k = static_cast<int>(plan.bc),
            .lda = plan.bc,
            .ldb = window(),
            .ldc = window(),
            .batch_kind = BatchKind::strides,
            .stride_a = ddst.slice_size(),
            .stride_b = weights_cb()};
  }
  // The number of dsrc's first rows to which output rows 0 .. oj can add.
  std::int64_t reached(std::int64_t oj) const { return clamp(oj * p.stride_h - p.pad_h + p.R, 0, p.H); }
};

inline std::vector<Loop> conv_scatter_loops(const ConvScatterGeometry& g) {
  return {{.name = "n", .extent = g.p.N},
          {.name = "kb", .extent = g.dsrc.Cb()},
          {.name = "cb", .extent = g.ddst.Cb(), .kind = LoopKind::reduction, .ranged = true},
          // Windows of neighbouring rows and pixels overlap. In parallel each part of the rows has a copy of dsrc.
          {.name = "oj", .extent = g.p.P(), .kind = LoopKind::reduction_in_copies},
          {.name = "oi", .extent = ceil_div(g.p.Q(), g.plan.bq), .kind = LoopKind::reduction}};
}

struct ConvScatterBody {
  const ConvScatterGeometry& g;
  const float *ddst, *weights;
  PrivateCopies<float> dsrc;
  const BrgemmKernel& brick;  // beta 0, batch over cb

  template <class Team>
  void operator()(const Team&, const LoopIndex& at) const {
    const ConvProblem& p = g.p;
    const std::int64_t n = at[kN].begin, kb = at[kKb].begin, cb = at[kCb].begin, oj = at[kOj].begin;
    const std::int64_t q = at[kOi].begin * g.plan.bq, q_end = std::min(q + g.plan.bq, p.Q());
    const std::int64_t bk = g.plan.bk, window = g.window();
    float* const slice = dsrc.of(at.copy()) + g.dsrc.pixel(n, kb, 0, 0);
    if (at.first(kCb) && at.first(kOi)) {  // zeroes the rows that oj adds to; they are in a cache then
      const std::int64_t zeroed = at.first(kOj) ? 0 : g.reached(oj - 1), reached = at.last(kOj) ? p.H : g.reached(oj);
      fill_zeros(slice + zeroed * p.W * bk, reached - zeroed, p.W * bk, p.W * bk, CAccess::cached);
    }

    float* const windows = at.scratch<float>();
    BrgemmCall call;
    call.rows = static_cast<int>(q_end - q);
    call.batch = strided_batch(brick.shape(), ddst + g.ddst.pixel(n, cb, oj, q),
                               weights + kb * g.weights_kb() + cb * g.weights_cb(), at[kCb].size());
    call.c = windows;
    constexpr std::int64_t kAhead = 28;  // pixels: several tiles
    if (g.plan.asks) call.next_a = std::min(g.plan.bq, kAhead) * g.plan.bc;
    brick(call);

    // For the pixels inside .. inside_end - 1 all taps of a filter row fall inside the image.
    const std::int64_t inside = clamp(ceil_div(p.pad_w, p.stride_w), q, q_end);
    const std::int64_t inside_end = clamp((p.W + p.pad_w - p.S) / p.stride_w + 1, inside, q_end);
    for (std::int64_t r = 0; r < p.R; ++r) {
      const std::int64_t h = oj * p.stride_h - p.pad_h + r;
      if (h < 0 || h >= p.H) continue;
      float* const row = slice + h * p.W * bk;
      const float* const of_row = windows + r * p.S * bk;
      for (std::int64_t i = q; i < inside; ++i) add_clipped(row, of_row + (i - q) * window, i);
      overlap_add(row + (inside * p.stride_w - p.pad_w) * bk, p.stride_w * bk, of_row + (inside - q) * window, window,
                  inside_end - inside, p.S * bk);
      for (std::int64_t i = inside_end; i < q_end; ++i) add_clipped(row, of_row + (i - q) * window, i);
    }
  }

  std::int64_t scratch_bytes() const { return g.plan.bq * g.window() * static_cast<std::int64_t>(sizeof(float)); }

 private:
  void add_clipped(float* row, const float* window, std::int64_t pixel) const {
    const std::int64_t w = pixel * g.p.stride_w - g.p.pad_w, bk = g.plan.bk;
    const std::int64_t s = clamp(-w, 0, g.p.S), s_end = clamp(g.p.W - w, s, g.p.S);
    overlap_add(row + (w + s) * bk, 1, window + s * bk, g.window(), 1, (s_end - s) * bk);
  }
};

}  // namespace brickwork
