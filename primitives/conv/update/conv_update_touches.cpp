#include "primitives/conv/update/conv_update_touches.hpp"

#include <string>
#include <vector>

#include "primitives/conv/update/conv_update_blocking.hpp"
#include "primitives/conv/update/conv_update_body.hpp"

namespace brickwork {

Result<NestTouches> conv_update_touches(const ConvProblem& problem, const ConvUpdatePlan& plan,
                                        std::int64_t ddst_room_w) {
  if (plan.gathers) {
    return Result<NestTouches>::unsupported(
        "with src=gathered a call reads src or a copy of it, whichever comes first, and no affine index says which");
  }
  if (plan.joined()) {
    return Result<NestTouches>::unsupported(
        "joined pixels are counted over the rows of an image, so that no affine index says where they lie");
  }
  ConvView v = forward_view(problem);
  v.dst_room_w = ddst_room_w;
  v.room_h = 0;
  if (std::string what = conv_update_misfit(v, plan); !what.empty()) return Result<NestTouches>::misfit(what);
  const ConvUpdateGeometry g = conv_update_geometry(v, plan);
  using L = ConvUpdateLoop;
  enum AxisOf { n, k, c, p, q, r, s };
  const std::int64_t cols = v.P * v.Q / g.rows;  // pixels of a member of a batch
  NestTouches nest{conv_update_loops(g),
                   {{"n", g.N, L::n},
                    {"k", g.Kb * plan.bk, L::kb, plan.bk},
                    {"c", g.Cb * plan.bc, L::cb, plan.bc},
                    {"p", g.rows, L::oj},
                    {"q", cols},
                    {"r", g.R, L::r},
                    {"s", v.S, plan.taps_in_m ? Axis::kNoLoop : int{L::s}}},
                   {}};
  const auto all = [&](AxisOf axis) { return TouchedIndex{{{axis}}, 0, nest.axes[axis].size}; };
  const auto zero = [](AxisOf axis) { return TouchedIndex{{{axis}}, 0, 1}; };

  // A flat image has rows of `cols` pixels.
  const std::int64_t H = plan.flat() ? g.rows : v.H, W = plan.flat() ? cols : v.W + 2 * v.room_w;
  nest.tensors = {
      {"src", Touch::read, {all(n), all(c), {{{p, v.stride_h}, {r}}, -v.pad_h, H}, {{{q, v.stride_w}, {s}}, 0, W}}},
      {"ddst", Touch::read, {all(n), all(k), all(p), {{{q}}, ddst_room_w, cols + 2 * ddst_room_w}}},
      {"dweights", Touch::reduce, {all(k), all(c), all(r), all(s)}}};
  if (v.epilogue.bias) {
    nest.tensors.push_back({"ones", Touch::read, {all(q), zero(c), zero(r), zero(s)}});
    nest.tensors.push_back({"dbias", Touch::reduce, {all(k), zero(c), zero(r), zero(s)}});
  }
  return nest;
}

}  // namespace brickwork
