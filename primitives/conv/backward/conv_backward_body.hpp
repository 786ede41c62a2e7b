// Convolution backward by data on the host, for one phase of the stride: forward's loops and body, and the pixels of
// phases without taps.
//
// These pixels are the epilogue applied to zeros; with a 1x1 kernel of stride 2 they are three of four pixels. They are
// written beside each tile, so that they go to memory while the next tile is computed. In a sweep of their own they
// took a third of the time of ResNet-50's strided layers (Zen 4).
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/c_access.hpp"
#include "kernels/layout/zeros.hpp"
#include "primitives/conv/forward/conv_forward_body.hpp"

namespace brickwork {

// The pixels of a phase without taps. Their distances are those of the computed phase's pixels.
struct PixelsWithoutTaps {
  std::int64_t rows, cols;
  std::int64_t first;  // elements from the computed phase's first pixel to theirs
};

// Calls use(begin, pixels) for each row of pixels without taps that belongs to a call: `pixels` neighbours from the
// element `begin` of dst on. They are the pixels beside the call's tile; the calls of the last row or column also get
// the rest.
template <class Use>
BRICKWORK_HOST_DEVICE void for_each_row_without_taps(const ConvForwardGeometry& g, const LoopIndex& at,
                                                     const PixelsWithoutTaps* phases, int count, const Use& use) {
  const std::int64_t oj = at[kOj].begin, q = at[kOi].begin * g.bq;
  const std::int64_t block = at[kN].begin * g.dst.image + at[kKb].begin * g.dst.block;
  for (int phase = 0; phase < count; ++phase) {
    const PixelsWithoutTaps& p = phases[phase];
    const std::int64_t row_end = oj + 1 < g.rows && oj + 1 < p.rows ? oj + 1 : p.rows;
    const std::int64_t q_end = q + g.bq < g.cols && q + g.bq < p.cols ? q + g.bq : p.cols;
    if (q >= q_end) continue;
    for (std::int64_t row = oj; row < row_end; ++row) {
      use(block + p.first + row * g.dst.row + q * g.dst.pixel, q_end - q);
    }
  }
}

template <class Brick>
struct ConvBackwardBody {
  ConvForwardBody<Brick> conv;
  const PixelsWithoutTaps* without_taps;
  int phases_without_taps;
  CAccess dst;

  template <class Team>
  void operator()(const Team& team, const LoopIndex& at) const {
    conv(team, at);
    if (!at.last(kCb)) return;
    const std::int64_t bk = conv.g.bk, ld = conv.g.dst.pixel;
    for_each_row_without_taps(conv.g, at, without_taps, phases_without_taps, [&](std::int64_t begin, std::int64_t m) {
      const TileEpilogue epilogue = conv.epilogue(at[kKb].begin, begin);
      float* const to = conv.data.dst + begin;
      fill_zeros(to, m, bk, ld, epilogue.any() ? CAccess::cached : dst);
      if (epilogue.any()) apply_epilogue(to, static_cast<int>(m), static_cast<int>(bk), ld, epilogue);
    });
  }

  std::int64_t scratch_bytes() const { return conv.scratch_bytes(); }
};

}  // namespace brickwork
