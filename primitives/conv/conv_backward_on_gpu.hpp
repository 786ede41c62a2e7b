// Convolution backward by data for the bricks of a device, whose plans may join the pixels of all images: those of
// phases without taps then lie beside the call's as these lie among those of their images.
#pragma once
#include "conv/run_conv.hpp"

namespace brickwork {

template <class Brick, class T, class TC>
struct ConvBackwardOnGpuBody {
  ConvBackwardBody<Brick, T, TC> of_rows;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const LoopIndex& at) const {
    of_rows.conv(team, at);
    if (!at.last(kCb)) return;
    of_rows.conv.g.joined.any() ? write_beside_joined(team, at) : of_rows.write_without_taps(team, at);
  }

  std::int64_t scratch_bytes() const { return of_rows.scratch_bytes(); }

 private:
  // No phase without taps has more pixels than the call's.
  template <class Team>
  BRICKWORK_HOST_DEVICE void write_beside_joined(const Team& team, const LoopIndex& at) const {
    const auto& conv = of_rows.conv;
    const ConvForwardGeometry& g = conv.g;
    const std::int64_t kb = at[kKb].begin, q = at[kOi].begin * g.bq;
    const std::int64_t pixels = g.cols - q < g.bq ? g.cols - q : g.bq;
    for (int phase = 0; phase < of_rows.phases_without_taps; ++phase) {
      const PixelsWithoutTaps& p = of_rows.without_taps[phase];
      const std::int64_t begin = kb * g.dst.block + p.first;
      const TileEpilogue epilogue = conv.epilogue(kb, begin);
      for (std::int64_t i = team.rank(); i < pixels * g.bk; i += team.size()) {
        const auto pixel = static_cast<int>(q + i / g.bk), j = static_cast<int>(i % g.bk);
        if (pixel / g.joined.cols % g.joined.rows >= p.rows || pixel % g.joined.cols >= p.cols) continue;
        const std::int64_t element = g.joined.dst.place(pixel, g.dst.pixel) + j;
        conv.data.dst[begin + element] =
            TC(epilogue.template of_element<SumOf<TC>, TC>(SumOf<TC>(0), j, element, element));
      }
    }
  }
};

template <class T, class TC>
struct ConvBackwardOnGpuPass : ConvBackwardPass<T, TC> {
  template <class Space, class Brick>
  void operator()(const Space& space, const Brick& brick, int threads) const {
    const ConvBackwardOnGpuBody<Brick, T, TC> body{
        {{this->geometry, this->data, brick}, this->without_taps, this->phases_without_taps, this->dst}};
    this->nest.run(space, body, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
  }
};

}  // namespace brickwork
