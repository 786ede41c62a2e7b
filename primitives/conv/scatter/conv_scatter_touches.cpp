#include "primitives/conv/scatter/conv_scatter_touches.hpp"

#include <string>

#include "primitives/conv/scatter/conv_backward_scatter.hpp"
#include "primitives/conv/scatter/conv_scatter_body.hpp"

namespace brickwork {

Result<NestTouches> conv_scatter_touches(const ConvProblem& problem, const ConvScatterPlan& plan) {
  if (std::string what = conv_scatter_misfit(problem, plan); !what.empty()) return Result<NestTouches>::misfit(what);
  const ConvScatterGeometry g = conv_scatter_geometry(problem, plan);
  enum AxisOf { n, kb, feature, c, p, q, r, s, x };
  NestTouches nest{conv_scatter_loops(g),
                   {{"n", problem.N, kN},
                    {"kb", g.dsrc.Cb(), kKb},
                    {"feature", plan.bk},
                    {"c", g.ddst.Cb() * plan.bc, kCb, plan.bc},
                    {"p", problem.P(), kOj},
                    {"q", problem.Q(), kOi, plan.bq},
                    {"r", problem.R},
                    {"s", problem.S},
                    {"x", g.window()}},
                   {}};
  const auto all = [&](AxisOf axis) { return TouchedIndex{{{axis}}, 0, nest.axes[axis].size}; };
  nest.tensors = {{"ddst", Touch::read, {all(n), all(c), all(p), all(q)}},
                  {"weights", Touch::read, {all(kb), all(c), all(x)}},
                  {"dsrc",
                   Touch::reduce,
                   {all(n),
                    all(kb),
                    {{{p, problem.stride_h}, {r}}, -problem.pad_h, problem.H},
                    {{{q, problem.stride_w}, {s}}, -problem.pad_w, problem.W},
                    all(feature)}}};
  return nest;
}

}  // namespace brickwork
