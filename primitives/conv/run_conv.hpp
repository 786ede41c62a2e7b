// Runs convolution's three passes with any brick on any space: pass(space, brick, threads).
#pragma once
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/brgemm/c_access.hpp"
#include "primitives/bricks/sums_of_columns.hpp"
#include "primitives/conv/backward/conv_backward_body.hpp"
#include "primitives/conv/forward/conv_forward_body.hpp"
#include "primitives/conv/update/conv_update_body.hpp"
#include "primitives/nest/loop_nest.hpp"
#include "primitives/nest/private_copies.hpp"

namespace brickwork {

template <class T, class TC>
struct ConvForwardPass {
  static constexpr bool kTransposesA = false;
  const LoopNest& nest;
  const ConvForwardGeometry& geometry;
  BrgemmShape shape;  // of a call; the body sets beta
  ConvForwardData<T, TC> data;

  template <class Space, class Brick>
  void operator()(const Space& space, const Brick& brick, int threads) const {
    const ConvForwardBody<Brick, T, TC> body{geometry, data, brick};
    nest.run(space, body, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
  }
};

// One phase of the stride; it also fills the pixels without taps.
template <class T, class TC>
struct ConvBackwardPass : ConvForwardPass<T, TC> {
  const PixelsWithoutTaps* without_taps;
  int phases_without_taps;
  CAccess dst;

  template <class Space, class Brick>
  void operator()(const Space& space, const Brick& brick, int threads) const {
    const ConvBackwardBody<Brick> body{{this->geometry, this->data, brick}, without_taps, phases_without_taps, dst};
    this->nest.run(space, body, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
  }
};

template <class T, class TC>
struct ConvUpdatePass {
  static constexpr bool kTransposesA = true;
  const LoopNest& nest;
  const ConvUpdateGeometry& geometry;
  BrgemmShape shape, bias_shape;
  ConvUpdateData<T, TC> data;

  template <class Space, class Brick>
  void operator()(const Space& space, const Brick& brick, int threads) const {
    // The product for dbias has one row, which would leave tensor cores idle.
    (*this)(space, brick, SumsOfColumns<T, TC>{bias_shape}, threads);
  }

  template <class Space, class Brick, class BiasBrick>
  void operator()(const Space& space, const Brick& brick, const BiasBrick& bias_brick, int threads) const {
    const ConvUpdateBody<Brick, T, TC, BiasBrick> body{geometry, data, brick, bias_brick};
    nest.run(space, body, data.dweights, {.threads = threads, .scratch_bytes = body.scratch_bytes()});
    if (data.dbias.output == nullptr || nest.copies() == 1) return;
    const SumOfCopies<TC> sum{data.dbias, nest.copies()};
    parallel_league(space, sum.tasks(threads), threads, 0, sum);
  }
};

}  // namespace brickwork
