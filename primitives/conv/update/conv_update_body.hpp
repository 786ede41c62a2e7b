// Convolution's weight update on one page: six loops around the brick.
//
//   dweights[kb][cb][r][s] = sum over n, oj of src[n][cb][row r of oj][tap s of all oi]^T * ddst[n][kb][oj]
//   dbias[kb]              = sum over n, oj of a row of ones * ddst[n][kb][oj]
//
// Algorithm: the weight update of arXiv 1906.06440 on blocked tensors: pixels are the brick's k, input features its m,
// and src is read as it lies, transposed by the brick, or is gathered first. Output rows whose filter row falls outside
// the image are left out of the batch, so src is padded in W only.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

// Problem and plan as the loops see them. Lengths are in elements.
struct ConvUpdateGeometry {
  std::int64_t N, Kb, Cb, R, S;  // S is 1 where the taps are in m
  std::int64_t rows;             // of output pixels: P, or those that the plan makes of a flat image
  std::int64_t H, stride_h, pad_h;

  struct Strides {
    std::int64_t image, block, row;
  } src, ddst;
  std::int64_t src_tap;  // from tap to tap of a filter row
  std::int64_t weights_kb, weights_cb, weights_r, weights_s;
  std::int64_t bk;
  std::int64_t images;  // of a call, at most

  // Where src is gathered, a task keeps the pixels of a call's images that a strided 1x1 kernel reads, next to each
  // other, for one block of output features after the other: [cb][images][P * Q][bc] in its scratch, for all blocks of
  // input features that it meets. All 0 otherwise.
  struct Gathered {
    std::int64_t kb, cb;            // of a task
    std::int64_t block, image;      // strides
    std::int64_t P, Q, row, pixel;  // of an image; from an output row, or pixel, to the next in src
    std::int64_t bc;
    BRICKWORK_HOST_DEVICE std::int64_t elements() const { return cb * block; }
  } gathered;
};

template <class T, class TC = T>
struct ConvUpdateData {
  const T *src, *ddst;
  PrivateCopies<TC> dweights;
  PrivateCopies<TC> dbias;  // without an output where none is asked for
  bool accumulate;          // to what the outputs hold
  // Bytes from a call's first member to each one of its batch, (n, oj) with oj fastest: one list behind the other for
  // 1, 2, ... rows, each of all images of a call.
  const std::uint64_t *a_offsets, *b_offsets;
  // Of dbias: a row of ones, which each of its batch's members begins at. Null where its brick reads none.
  const T* ones;
  const std::uint64_t* ones_offsets;
};

struct ConvUpdateLoop {
  enum : int { n, kb, cb, oj, r, s };
};

inline std::vector<Loop> conv_update_loops(const ConvUpdateGeometry& g) {
  return {// Images; those that reach the body at once are reduced in one call. In parallel each thread has its copy.
          {.name = "n", .extent = g.N, .kind = LoopKind::reduction_in_copies, .ranged = true},
          {.name = "kb", .extent = g.Kb},  // blocks of bk output features
          {.name = "cb", .extent = g.Cb},  // blocks of bc input features
          {.name = "oj", .extent = g.rows, .kind = LoopKind::reduction, .ranged = true},  // output rows, likewise
          {.name = "r", .extent = g.R},                                                   // filter rows
          {.name = "s", .extent = g.S}};                                                  // their taps
}

// Brick: see tile_brick.hpp. That of dbias takes A as it lies, and one row of it.
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

    // For the output rows first .. end the filter row falls inside the image.
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
    // Beside its first tap, whose loops meet all of ddst once, a block's bias has ddst in the caches.
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
      team.barrier();  // what was here before has been read
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
