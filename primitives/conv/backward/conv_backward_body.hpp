// Convolution backward by data on the host, one phase of the stride: the loops and the body of forward, which besides
// writes the pixels of those phases that have no tap.
//
// They are the epilogue of zeros, of a 1x1 kernel of stride 2 three of four pixels. Written beside each tile they go to
// memory while the next one is computed; in a sweep of their own they took a third of the time of ResNet-50's strided
// layers.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/c_access.hpp"
#include "kernels/layout/zeros.hpp"
#include "primitives/conv/forward/conv_forward_body.hpp"

namespace brickwork {

// The pixels of a phase without taps, as far apart as those of the phase that is computed.
struct PixelsWithoutTaps {
  std::int64_t rows, cols;
  std::int64_t first;  // elements from the computed phase's first pixel to theirs
};

// use(begin, pixels) for each row of such pixels that are a call's own: so many next to each other, from there on in
// dst. They are those beside its tile, and behind the last one those that are left.
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
