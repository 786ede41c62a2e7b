// Convolution backward by data, one phase of the stride: the loops and the body of forward, which besides writes the
// pixels of those phases that have no tap.
//
// They are the epilogue of zeros, of a 1x1 kernel of stride 2 three of four pixels. Written beside each tile they go to
// memory while the next one is computed; in a sweep of their own they took a third of the time of ResNet-50's strided
// layers.
#pragma once
#include <cstdint>

#include "c_access.hpp"
#include "conv/conv_forward_body.hpp"
#include "host_device.hpp"

namespace brickwork {

// The pixels of a phase without taps, as far apart as those of the phase that is computed.
struct PixelsWithoutTaps {
  std::int64_t rows, cols;
  std::int64_t first;  // elements from the computed phase's first pixel to theirs
};

template <class Brick, class T = float, class TC = T>
struct ConvBackwardBody {
  ConvForwardBody<Brick, T, TC> conv;
  const PixelsWithoutTaps* without_taps;
  int phases_without_taps;
  CAccess dst;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const LoopIndex& at) const {
    conv(team, at);
    if (at.last(kCb)) write_without_taps(team, at);
  }

  // The pixels of phases without taps that are the call's own.
  template <class Team>
  BRICKWORK_HOST_DEVICE void write_without_taps(const Team& team, const LoopIndex& at) const {
    const ConvForwardGeometry& g = conv.g;
    const std::int64_t oj = at[kOj].begin, q = at[kOi].begin * g.bq;
    const std::int64_t block = at[kN].begin * g.dst.image + at[kKb].begin * g.dst.block;
    for (int phase = 0; phase < phases_without_taps; ++phase) {
      // The tile's own, and behind the last one those that are left.
      const PixelsWithoutTaps& p = without_taps[phase];
      const std::int64_t row_end = oj + 1 < g.rows ? oj + 1 : p.rows, q_end = q + g.bq < g.cols ? q + g.bq : p.cols;
      for (std::int64_t row = oj; row < row_end && row < p.rows; ++row) {
        const std::int64_t to = block + p.first + row * g.dst.row + q * g.dst.pixel;
        finish_zeros(team, at, to, (q_end < p.cols ? q_end : p.cols) - q);
      }
    }
  }

  std::int64_t scratch_bytes() const { return conv.scratch_bytes(); }

 private:
  // Pixels next to each other that begin so far on in dst. An epilogue of zeros is that of a call without members.
  template <class Team>
  BRICKWORK_HOST_DEVICE void finish_zeros(const Team& team, const LoopIndex& at, std::int64_t begin,
                                          std::int64_t pixels) const {
    const ConvForwardGeometry& g = conv.g;
    const std::int64_t kb = at[kKb].begin;
    if (!conv.epilogue(kb, begin).any()) {
      conv.brick.fill_zeros(team, conv.data.dst + begin, pixels, g.bk, g.dst.pixel, dst);
      return;
    }
    for (; pixels > 0; pixels -= g.bq, begin += g.bq * g.dst.pixel) {
      BrgemmCall call;
      call.rows = static_cast<int>(pixels < g.bq ? pixels : g.bq);
      call.batch = Batch::at_offsets(conv.data.src, conv.data.weights, 0, conv.data.a_offsets, conv.data.b_offsets);
      call.c = conv.data.dst + begin;
      call.epilogue = conv.epilogue(kb, begin);
      conv.brick.finish_zeros(team, call);
    }
  }
};

}  // namespace brickwork
