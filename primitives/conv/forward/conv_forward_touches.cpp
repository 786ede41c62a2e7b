#include "primitives/conv/forward/conv_forward_touches.hpp"

#include <string>
#include <utility>

#include "primitives/conv/forward/conv_forward_blocking.hpp"
#include "primitives/conv/forward/conv_forward_body.hpp"

namespace brickwork {
Result<NestTouches> conv_forward_touches(const ConvView& v, const ConvPlan& plan) {
  if (plan.joined()) {
    return Result<NestTouches>::unsupported(
        "joined pixels are counted over rows and images, so that no affine index says where they lie");
  }
  if (std::string what = conv_forward_misfit(v, plan); !what.empty()) return Result<NestTouches>::misfit(what);
  const ConvForwardGeometry g = conv_forward_geometry(v, plan);
  enum AxisOf { n, k, c, p, q, r, s };
  NestTouches nest{conv_forward_loops(g),
                   {{"n", g.N, kN},
                    {"k", g.Kb * plan.bk, kKb, plan.bk},
                    {"c", g.Cb * plan.bc, kCb, plan.bc},
                    {"p", g.rows, kOj},
                    {"q", g.cols, kOi, plan.bq},
                    {"r", v.R},
                    {"s", v.S}},
                   {}};
  const auto all = [&](AxisOf axis) { return TouchedIndex{{{axis}}, 0, nest.axes[axis].size}; };

  // Flat pixels are one row.
  const std::int64_t H = plan.flat() ? 1 : v.H, W = plan.flat() ? v.H * v.W : v.W + 2 * v.room_w;
  const std::int64_t P = plan.flat() ? 1 : v.P, Q = plan.flat() ? v.P * v.Q : v.Q + 2 * v.dst_room_w;
  const std::vector<TouchedIndex> as_dst = {
      all(n), all(k), {{{p, v.step_h}}, v.first_h, P}, {{{q, v.step_w}}, v.first_w + v.dst_room_w, Q}};

  nest.tensors = {
      {"src",
       Touch::read,
       {all(n), all(c), {{{p, v.stride_h}, {r}}, -v.pad_h, H}, {{{q, v.stride_w}, {s}}, v.room_w - v.pad_w, W}}},
      {"weights", Touch::read, {all(k), all(c), all(r), all(s)}},
      {"dst", Touch::reduce, as_dst}};
  const auto at_last = [&](bool has, const char* name, const std::vector<TouchedIndex>& index) {
    if (has) nest.tensors.push_back({name, Touch::read, index, true});
  };
  at_last(v.epilogue.bias, "bias", {all(k)});
  at_last(v.epilogue.residual, "residual", as_dst);
  at_last(v.epilogue.derivative, "at", as_dst);
  return nest;
}

}  // namespace brickwork
