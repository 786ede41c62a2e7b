// Convolution backward by data for the bricks of a device. The plan may join the pixels of all images; for every phase
// without taps a call then writes the pixels at the same places of the same images.
#pragma once
#include "primitives/conv/run_conv.hpp"

namespace brickwork {

template <class Brick, class T, class TC>
struct ConvBackwardOnGpuBody {
  ConvForwardBody<Brick, T, TC> conv;
  const PixelsWithoutTaps* without_taps;
  int phases_without_taps;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const LoopIndex& at) const {
    conv(team, at);
    if (!at.last(kCb)) return;
    if (conv.g.joined.any()) return write_beside_joined(team, at);
    for_each_row_without_taps(conv.g, at, without_taps, phases_without_taps,
                              [&](std::int64_t begin, std::int64_t pixels) {
                                const TileEpilogue epilogue = conv.epilogue(at[kKb].begin, begin);
                                for (std::int64_t i = team.rank(); i < pixels * conv.g.bk; i += team.size()) {
                                  const std::int64_t j = i % conv.g.bk;
                                  write(epilogue, begin, i / conv.g.bk * conv.g.dst.pixel + j, j);
                                }
                              });
  }

  std::int64_t scratch_bytes() const { return conv.scratch_bytes(); }

 private:
  // No phase without taps has more rows or columns than the computed one.
  template <class Team>
  BRICKWORK_HOST_DEVICE void write_beside_joined(const Team& team, const LoopIndex& at) const {
    const ConvForwardGeometry& g = conv.g;
    const std::int64_t kb = at[kKb].begin, q = at[kOi].begin * g.bq;
    const std::int64_t pixels = g.cols - q < g.bq ? g.cols - q : g.bq;
    for (int phase = 0; phase < phases_without_taps; ++phase) {
      const PixelsWithoutTaps& p = without_taps[phase];
      const std::int64_t begin = kb * g.dst.block + p.first;
      const TileEpilogue epilogue = conv.epilogue(kb, begin);
      for (std::int64_t i = team.rank(); i < pixels * g.bk; i += team.size()) {
        const auto pixel = static_cast<int>(q + i / g.bk), j = static_cast<int>(i % g.bk);
        if (pixel / g.joined.cols % g.joined.rows >= p.rows || pixel % g.joined.cols >= p.cols) continue;
        write(epilogue, begin, g.joined.dst.place(pixel, g.dst.pixel) + j, j);
      }
    }
  }

  // Writes an element of column j: the epilogue applied to zero.
  BRICKWORK_HOST_DEVICE void write(const TileEpilogue& epilogue, std::int64_t begin, std::int64_t element,
                                   std::int64_t j) const {
    conv.data.dst[begin + element] = TC(epilogue.template of_element<SumOf<TC>, TC>(SumOf<TC>(0), j, element, element));
  }
};

template <class T, class TC>
struct ConvBackwardOnGpuPass : ConvBackwardPass<T, TC> {
  template <class Space, class Brick>
  void operator()(const Space& space, const Brick& brick, int threads) const {
    const ConvBackwardOnGpuBody<Brick, T, TC> body{
        {this->geometry, this->data, brick}, this->without_taps, this->phases_without_taps};
    this->nest.run(space, body, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
  }
};

}  // namespace brickwork
