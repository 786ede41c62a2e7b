#include "primitives/attention/attention_touches.hpp"

#include "primitives/nest/integers.hpp"

namespace brickwork {

AttentionTouches attention_touches(const AttentionProblem& p, const AttentionPlan& plan) {
  const std::int64_t features = whole_blocks(p.K, plan.bk);
  enum AxisOf { n, t, k, s };
  NestTouches nest{{{.name = "nb", .extent = p.N},
                    {.name = "tb", .extent = ceil_div(p.T, plan.bt)},
                    {.name = "kb", .extent = features / plan.tk}},
                   {{"n", p.N, 0}, {"t", p.T, 1, plan.bt}, {"k", features, 2, plan.tk}, {"s", p.S}},
                   {}};
  const auto all = [&](AxisOf axis) { return TouchedIndex{{{axis}}, 0, nest.axes[axis].size}; };
  AttentionTouches both{nest, nest};
  both.scores.loops[2].kind = LoopKind::reduction;
  both.scores.tensors = {{"queries", Touch::read, {all(n), all(t), all(k)}},
                         {"keys", Touch::read, {all(n), all(s), all(k)}},
                         {"weights", Touch::reduce, {all(n), all(t), all(s)}}};
  both.context.tensors = {{"values", Touch::read, {all(n), all(s), all(k)}},
                          {"weights", Touch::read, {all(n), all(t), all(s)}},
                          {"context", Touch::write, {all(n), all(t), all(k)}}};
  return both;
}

}  // namespace brickwork
