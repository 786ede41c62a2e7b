// Convolution's three passes on a space, around any brick: what a run is beside its tensors.
#pragma once
#include "brgemm.hpp"
#include "c_access.hpp"
#include "conv/conv_backward_body.hpp"
#include "conv/conv_forward_body.hpp"
#include "conv/conv_update_body.hpp"
#include "loop_nest.hpp"
#include "private_copies.hpp"

namespace brickwork {

// The loops of a pass: its nest, and the shape of its calls (beta is set by the body).
struct ConvLoops {
  const LoopNest& nest;
  BrgemmShape brick;
};

template <class T, class TC, class Space, class Brick>
void run_conv_forward(const Space& space, const Brick& brick, int threads, const LoopNest& nest,
                      const ConvForwardGeometry& geometry, const ConvForwardData<T, TC>& data) {
  const ConvForwardBody<Brick, T, TC> body{geometry, data, brick};
  nest.run(space, body, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
}

template <class T, class TC, class Space, class Brick>
void run_conv_backward(const Space& space, const Brick& brick, int threads, const LoopNest& nest,
                       const ConvForwardGeometry& geometry, const ConvForwardData<T, TC>& data,
                       const PixelsWithoutTaps* without_taps, int phases_without_taps, CAccess dst) {
  const ConvBackwardBody<Brick, T, TC> body{{geometry, data, brick}, without_taps, phases_without_taps, dst};
  nest.run(space, body, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
}

template <class T, class TC, class Space, class Brick, class BiasBrick>
void run_conv_update(const Space& space, const Brick& brick, const BiasBrick& bias_brick, int threads,
                     const LoopNest& nest, const ConvUpdateGeometry& geometry, const ConvUpdateData<T, TC>& data) {
  const ConvUpdateBody<Brick, T, TC, BiasBrick> body{geometry, data, brick, bias_brick};
  nest.run(space, body, data.dweights, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
  if (data.dbias.output == nullptr || nest.copies() == 1) return;
  const SumOfCopies<TC> sum{data.dbias, nest.copies()};
  parallel_league(space, sum.tasks(threads), threads, 0, sum);
}

}  // namespace brickwork
