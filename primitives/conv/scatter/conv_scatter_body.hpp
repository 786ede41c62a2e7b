// Convolution backward by data on one page, the other way round: five loops around the brick, whose tile of C is added
// into dsrc.
//
//   window[oi][r, s, kb] = sum over cb of ddst[n][cb][oj][oi] * weights[kb][cb][r, s]
//   dsrc[n][kb][row r of oj][tap s of oi] += window[oi][r, s]
//
// For a first layer, whose few input features would leave most lanes of a vector idle: here a filter's taps are in n
// besides, 7 x 7 x 3 = 147 columns. Their tile stays in L1, as that of col2im, which does the same in memory, does not.
#pragma once
#include <cstdint>
#include <vector>

#include "brgemm.hpp"
#include "conv/conv_forward_body.hpp"
#include "conv/scatter/overlap_add.hpp"
#include "floats.hpp"
#include "integers.hpp"
#include "loop_nest.hpp"
#include "zeros.hpp"

namespace brickwork {

// Problem and plan as the loops see them; as everywhere in this pass, kb are blocks of dsrc's features and cb of
// ddst's. Lengths are in elements.
struct ConvScatterGeometry {
  std::int64_t N, Kb, Cb;
  std::int64_t P, Q, H, W;
  std::int64_t bk, bq;
  std::int64_t R, S, stride_h, stride_w, pad_h, pad_w;
  std::int64_t ddst_image, ddst_block, ddst_pixel;
  std::int64_t weights_kb, weights_cb;
  std::int64_t next_ddst;  // so far on in ddst lie the pixels needed next; 0 where that is not worth a prefetch

  // From row to row of weights and windows: whole cache lines, as vectors that lie across two of them load slowly.
  std::int64_t window() const { return whole_blocks(R * S * bk, kFloatsOfLine); }
  std::int64_t slice() const { return H * W * bk; }  // of dsrc
  // Filters of the rows up to oj add to rows of dsrc above this one only.
  std::int64_t reached(std::int64_t oj) const { return clamp(oj * stride_h - pad_h + R, 0, H); }
};

struct ConvScatterData {
  const float *ddst, *weights;
  PrivateCopies<float> dsrc;
  const std::uint64_t *ddst_offsets, *weights_offsets;  // bytes from a call's first member to each one of its batch
};

inline std::vector<Loop> conv_scatter_loops(const ConvScatterGeometry& g) {
  return {{.name = "n", .extent = g.N},
          {.name = "kb", .extent = g.Kb},
          {.name = "cb", .extent = g.Cb, .kind = LoopKind::reduction, .ranged = true},
          // Filters of neighbouring rows and pixels overlap. In parallel each part of the rows has its copy of dsrc.
          {.name = "oj", .extent = g.P, .kind = LoopKind::reduction_in_copies},
          {.name = "oi", .extent = ceil_div(g.Q, g.bq), .kind = LoopKind::reduction}};
}

struct ConvScatterBody {
  const ConvScatterGeometry& g;
  ConvScatterData data;
  const BrgemmKernel& brick;  // of beta 0

  template <class Team>
  void operator()(const Team&, const LoopIndex& at) const {
    const std::int64_t n = at[kN].begin, kb = at[kKb].begin, cb = at[kCb].begin, oj = at[kOj].begin;
    const std::int64_t q = at[kOi].begin * g.bq, q_end = q + g.bq < g.Q ? q + g.bq : g.Q;
    float* const dsrc = data.dsrc.of(at.copy()) + (n * g.Kb + kb) * g.slice();
    if (at.first(kCb) && at.first(kOi)) {  // as far as it reaches: its rows are in a cache then
      const std::int64_t zeroed = at.first(kOj) ? 0 : g.reached(oj - 1), reached = at.last(kOj) ? g.H : g.reached(oj);
      fill_zeros(dsrc + zeroed * g.W * g.bk, reached - zeroed, g.W * g.bk, g.W * g.bk, CAccess::cached);
    }

    float* const windows = at.scratch<float>();
    BrgemmCall call;
    call.rows = static_cast<int>(q_end - q);
    call.batch = Batch::at_offsets(data.ddst + n * g.ddst_image + cb * g.ddst_block + (oj * g.Q + q) * g.ddst_pixel,
                                   data.weights + kb * g.weights_kb + cb * g.weights_cb, at[kCb].size(),
                                   data.ddst_offsets, data.weights_offsets);
    call.c = windows;
    call.next_a = g.next_ddst;
    brick(call);

    // Of the pixels inside .. inside_end all taps of a row fall inside the image.
    const std::int64_t inside = clamp(ceil_div(g.pad_w, g.stride_w), q, q_end);
    const std::int64_t inside_end = clamp((g.W + g.pad_w - g.S) / g.stride_w + 1, inside, q_end);
    for (std::int64_t r = 0; r < g.R; ++r) {
      const std::int64_t h = oj * g.stride_h - g.pad_h + r;
      if (h < 0 || h >= g.H) continue;
      float* const row = dsrc + h * g.W * g.bk;
      const float* const of_row = windows + r * g.S * g.bk;
      for (std::int64_t i = q; i < inside; ++i) add_clipped(row, of_row + (i - q) * g.window(), i);
      overlap_add(row + (inside * g.stride_w - g.pad_w) * g.bk, g.stride_w * g.bk, of_row + (inside - q) * g.window(),
                  g.window(), inside_end - inside, g.S * g.bk);
      for (std::int64_t i = inside_end; i < q_end; ++i) add_clipped(row, of_row + (i - q) * g.window(), i);
    }
  }

  std::int64_t scratch_bytes() const { return g.bq * g.window() * static_cast<std::int64_t>(sizeof(float)); }

 private:
  // The taps of one pixel that fall inside the image.
  void add_clipped(float* row, const float* window, std::int64_t pixel) const {
    const std::int64_t w = pixel * g.stride_w - g.pad_w;
    const std::int64_t s = clamp(-w, 0, g.S), s_end = clamp(g.W - w, s, g.S);
    overlap_add(row + (w + s) * g.bk, 1, window + s * g.bk, g.window(), 1, (s_end - s) * g.bk);
  }
};

}  // namespace brickwork
