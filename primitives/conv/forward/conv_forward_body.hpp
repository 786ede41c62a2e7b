// Convolution forward on one page: five loops around the brick, for any execution space and any brick.
//
//   dst[n][kb][oj][oi] = epilogue(sum over cb, r, s of src[n][cb][row r of oj][tap s of oi] * weights[kb][cb][r][s])
//
// Algorithm: the direct convolution of arXiv 1906.06440 on blocked tensors. The batch leaves out filter rows that fall
// outside the image, which saves their work, so src is padded in W only. The brick can leave out products with the
// padding in W.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/nest/loop_nest.hpp"

namespace brickwork {

// The problem and the plan in the form that the loops need. Distances are in elements.
struct ConvForwardGeometry {
  std::int64_t N, Kb, Cb;   // images; blocks of output and of input features
  std::int64_t rows, cols;  // output pixels: P x Q; if flat, 1 x P * Q; if joined, 1 x N * P * Q with one image
  std::int64_t bq;          // output pixels of one call; the last call of a row may have fewer
  std::int64_t H, R, stride_h, pad_h;
  Activation activation;

  struct Strides {
    std::int64_t image, block, row;
    std::int64_t pixel;  // from one output pixel to the next; in src this is stride_w pixels
  } src, dst;
  std::int64_t weights_kb, weights_cb, weights_row;
  std::int64_t bk;

  // For joined pixels: where the brick finds each pixel, and an image's P x Q. All 0 otherwise.
  struct Joined {
    ImagePixels src, dst;
    int rows, cols;
    BRICKWORK_HOST_DEVICE bool any() const { return cols != 0; }
  } joined;

  std::int64_t members;   // members of a batch per filter row: (cb, s), or only cb if the taps are in k
  std::int64_t taps;      // members per cb
  std::int64_t next_src;  // distance in src to the pixels that are prefetched; 0: no prefetch
  bool src_stays;         // src stays in L2 from one block of output features to the next

  // The calls for one block of output features. Each prefetches its share of the weights that come next, which are
  // next_weights behind the call's own. Without prefetches asking.count is 0.
  PassingCalls asking;
  std::int64_t next_weights;
};

template <class T, class TC = T>
struct ConvForwardData {
  const T *src, *weights;
  const float* bias;        // null if the problem has none
  const TC *residual, *at;  // layout of dst; null if the problem has none. `at`: where the derivative is taken
  TC* dst;
  // Offsets in bytes of a batch's members from the first one, (cb, r, s) with s fastest: one list after the other for
  // 1 .. R filter rows inside the image.
  const std::uint64_t *a_offsets, *b_offsets;
};

enum ConvForwardLoop { kN, kKb, kCb, kOj, kOi };

// The order that most plans start from is {n kb} oj oi cb:Cb.
inline std::vector<Loop> conv_forward_loops(const ConvForwardGeometry& g) {
  return {{.name = "n", .extent = g.N},    // images
          {.name = "kb", .extent = g.Kb},  // blocks of bk output features
          // Blocks of bc input features; one call reduces all blocks that reach the body at once.
          {.name = "cb", .extent = g.Cb, .kind = LoopKind::reduction, .ranged = true},
          {.name = "oj", .extent = g.rows},                       // output rows
          {.name = "oi", .extent = (g.cols + g.bq - 1) / g.bq}};  // blocks of bq output pixels of a row
}

// Brick: see tile_brick.hpp.
template <class Brick, class T = float, class TC = T>
struct ConvForwardBody {
  ConvForwardGeometry g;
  ConvForwardData<T, TC> data;
  Brick brick;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const LoopIndex& at) const {
    const std::int64_t n = at[kN].begin, kb = at[kKb].begin, cb = at[kCb].begin, oj = at[kOj].begin;
    const std::int64_t q = at[kOi].begin * g.bq;        // the first output pixel
    const std::int64_t begin = g.joined.any() ? 0 : q;  // the pixel at which the call's tensors begin

    // Filter rows r_begin .. r_end - 1 fall inside the image.
    const std::int64_t top = oj * g.stride_h - g.pad_h;
    const std::int64_t r_begin = clamp(-top, 0, g.R), r_end = clamp(g.H - top, r_begin, g.R);
    const std::int64_t filter_rows = r_end - r_begin;
    const std::int64_t src_row = filter_rows == 0 ? 0 : top + r_begin;
    const std::int64_t offsets = g.members * (filter_rows * (filter_rows - 1) / 2);
    const std::int64_t tile = n * g.dst.image + kb * g.dst.block + oj * g.dst.row + begin * g.dst.pixel;

    BrgemmCall call;
    call.rows = static_cast<int>(g.cols - q < g.bq ? g.cols - q : g.bq);
    call.first_pixel = q - begin;
    call.batch =
        Batch::at_offsets(data.src + n * g.src.image + cb * g.src.block + src_row * g.src.row + begin * g.src.pixel,
                          data.weights + kb * g.weights_kb + cb * g.weights_cb + r_begin * g.weights_row,
                          at[kCb].size() * filter_rows * g.taps, data.a_offsets + offsets, data.b_offsets + offsets);
    call.c = data.dst + tile;
    call.next_a = kb == 0 || !g.src_stays ? g.next_src : 0;
    if constexpr (requires { Brick::kReadsNext; }) {
      if (g.asking.count > 0) call.read_next = next_weights(at).share(g.asking.index(at), g.asking.count);
    }
    if (at.last(kCb)) call.epilogue = epilogue(kb, tile);
    brick(team, at.first(kCb) ? 0 : 1, call, at.scratch<T>());
  }

  // The epilogue of the tile in block kb of the output features that begins at element `tile` of dst.
  BRICKWORK_HOST_DEVICE TileEpilogue epilogue(std::int64_t kb, std::int64_t tile) const {
    TileEpilogue e;
    if (data.bias != nullptr) e.bias = data.bias + kb * g.bk;
    if (data.residual != nullptr) e.residual = data.residual + tile;
    if (data.at != nullptr) e.at = data.at + tile;
    e.ldr = e.ldat = g.dst.pixel;
    e.activation = g.activation;
    return e;
  }

  std::int64_t scratch_bytes() const { return brick.scratch_bytes(); }

  NextRows next_weights(const LoopIndex& at) const {
    return {data.weights + at[kKb].begin * g.weights_kb + at[kCb].begin * g.weights_cb + g.next_weights,
            at[kCb].size() * g.weights_cb * static_cast<std::int64_t>(sizeof(T))};
  }
};

}  // namespace brickwork
