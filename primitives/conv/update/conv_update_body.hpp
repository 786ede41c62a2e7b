// Convolution's weight update on one page: six loops around the brick.
//
//   dweights[kb][cb][r][s] = sum over n, oj of src[n][cb][row r of oj][tap s of all oi]^T * ddst[n][kb][oj]
//   dbias[kb]              = sum over n, oj of a row of ones * ddst[n][kb][oj]
//
// Algorithm: the weight update of arXiv 1906.06440 on blocked tensors. The brick's k are pixels and its m input
// features; the brick reads src in its layout and transposes it, or src is gathered first. The batch leaves out output
// rows whose filter row falls outside the image, so src is padded in W only.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

// The problem and the plan in the form that the loops need. Distances are in elements.
struct ConvUpdateGeometry {
  std::int64_t N, Kb, Cb, R, S;  // S is 1 if the taps are in m
  std::int64_t rows;             // rows of output pixels: P, or the rows into which the plan cuts a flat image
  std::int64_t H, stride_h, pad_h;

  struct Strides {
    std::int64_t image, block, row;
  } src, ddst;
  std::int64_t src_tap;  // distance in src between taps of a filter row
  std::int64_t weights_kb, weights_cb, weights_r, weights_s;
  std::int64_t bk;
  std::int64_t images;  // most images of a call

  // If src is gathered: a task copies the pixels that a strided 1x1 kernel reads into its scratch, without gaps, as
  // [cb][images][P * Q][bc]: for a call's images and all of the task's blocks of input features. Consecutive blocks of
  // output features share the copy. All 0 otherwise.
  struct Gathered {
    std::int64_t kb, cb;            // blocks that use a copy, and blocks of input features of a task
    std::int64_t block, image;      // strides of the copy
    std::int64_t P, Q, row, pixel;  // size of an image; distance between output rows, and between pixels, in src
    std::int64_t bc;
    BRICKWORK_HOST_DEVICE std::int64_t elements() const { return cb * block; }
  } gathered;
};

template <class T, class TC = T>
struct ConvUpdateData {
  const T *src, *ddst;
  PrivateCopies<TC> dweights;
  PrivateCopies<TC> dbias;  // output is null without dbias
  bool accumulate;          // add to the values in the outputs
  // Offsets in bytes of a batch's members from the first one, (n, oj) with oj fastest: one list after the other for
  // 1, 2, ... rows, each for all images of a call.
  const std::uint64_t *a_offsets, *b_offsets;
  // For dbias: a row of ones, which every member of the batch uses. Null if dbias' brick does not read it.
  const T* ones;
  const std::uint64_t* ones_offsets;
};

struct ConvUpdateLoop {
  enum : int { n, kb, cb, oj, r, s };
};

inline std::vector<Loop> conv_update_loops(const ConvUpdateGeometry& g) {
  return {// Images; one call reduces all that reach the body at once. In parallel each part adds to its own copy.
          {.name = "n", .extent = g.N, .kind = LoopKind::reduction_in_copies, .ranged = true},
          {.name = "kb", .extent = g.Kb},  // blocks of bk output features
          {.name = "cb", .extent = g.Cb},  // blocks of bc input features
          {.name = "oj", .extent = g.rows, .kind = LoopKind::reduction, .ranged = true},  // output rows, as images
          {.name = "r", .extent = g.R},                                                   // filter rows
          {.name = "s", .extent = g.S}};                                                  // taps of a filter row
}

// Brick: see tile_brick.hpp. BiasBrick, for dbias, has one row of A, which is not transposed.
template <class Brick, class T = float, class TC = T, class BiasBrick = Brick>
struct ConvUpdateBody {
  ConvUpdateGeometry g;
  ConvUpdateData<T, TC> data;
  Brick brick;
  BiasBrick bias_brick;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const LoopIndex& at) const {
    using L = ConvUpdateLoop;
    const LoopRange images = at[L::n], rows = at[L::oj];
    const std::int64_t kb = at[L::kb].begin, cb = at[L::cb].begin, r = at[L::r].begin, s = at[L::s].begin;

    // For output rows first .. end - 1 the filter row falls inside the image.
    const std::int64_t first = clamp(ceil_div(g.pad_h - r, g.stride_h), rows.begin, rows.end);
    const std::int64_t end = clamp(ceil_div(g.H + g.pad_h - r, g.stride_h), first, rows.end);
    const std::int64_t live = end - first;
    const std::int64_t offsets = g.images * (live * (live - 1) / 2);
    const std::int64_t src_row = live == 0 ? 0 : first * g.stride_h + r - g.pad_h;

    BrgemmCall call;
    const T* const src = data.src + images.begin * g.src.image + cb * g.src.block;
    call.batch =
        Batch::at_offsets(g.gathered.block == 0 ? src + src_row * g.src.row + s * g.src_tap : gathered(team, at, src),
                          data.ddst + images.begin * g.ddst.image + kb * g.ddst.block + first * g.ddst.row,
                          images.size() * live, data.a_offsets + offsets, data.b_offsets + offsets);
    call.c = data.dweights.of(at.copy()) + kb * g.weights_kb + cb * g.weights_cb + r * g.weights_r + s * g.weights_s;
    const bool overwrites = at.first(L::n) && at.first(L::oj) && !(data.accumulate && at.copy() == 0);
    // dbias is computed with the first block of input features and the first tap: they read all of ddst once, so that
    // it is in the caches.
    if (data.dbias.output != nullptr && cb == 0 && r == 0 && s == 0) add_to_bias(team, at, overwrites ? 0 : 1);
    brick(team, overwrites ? 0 : 1, call, at.scratch<T>() + g.gathered.elements());
  }

  std::int64_t scratch_bytes() const {
    return g.gathered.elements() * static_cast<std::int64_t>(sizeof(T)) + brick.scratch_bytes();
  }

 private:
  // The call's pixels of src, copied by the task's first block of output features that needs them.
  template <class Team>
  BRICKWORK_HOST_DEVICE const T* gathered(const Team& team, const LoopIndex& at, const T* src) const {
    using L = ConvUpdateLoop;
    const auto& to = g.gathered;
    T* const block = at.scratch<T>() + at[L::cb].begin % to.cb * to.block;
    if (at[L::kb].begin % to.kb == 0) {
      team.barrier();  // all have read the previous copy
      for (std::int64_t n = 0; n < at[L::n].size(); ++n) {
        for (std::int64_t row = team.rank(); row < to.P; row += team.size()) {
          const T* const from = src + n * g.src.image + row * to.row;
          T* const dense = block + n * to.image + row * to.Q * to.bc;
          for (std::int64_t q = 0; q < to.Q; ++q) {
            for (std::int64_t c = 0; c < to.bc; ++c) dense[q * to.bc + c] = from[q * to.pixel + c];
          }
        }
      }
      team.barrier();
    }
    return block;
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void add_to_bias(const Team& team, const LoopIndex& at, int beta) const {
    using L = ConvUpdateLoop;
    const LoopRange images = at[L::n], rows = at[L::oj];
    const std::int64_t kb = at[L::kb].begin, offsets = g.images * (rows.size() * (rows.size() - 1) / 2);
    BrgemmCall call;
    call.batch = Batch::at_offsets(
        data.ones, data.ddst + images.begin * g.ddst.image + kb * g.ddst.block + rows.begin * g.ddst.row,
        images.size() * rows.size(), data.ones_offsets, data.b_offsets + offsets);
    call.c = data.dbias.of(at.copy()) + kb * g.bk;
    bias_brick(team, beta, call, at.scratch<T>() + g.gathered.elements());
  }
};

}  // namespace brickwork
