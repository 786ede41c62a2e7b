#include "primitives/brgemm/brgemm_league_touches.hpp"

namespace brickwork {

NestTouches brgemm_league_touches(const BrgemmLeagueProblem& p) {
  enum AxisOf { task, batch, m, n, k };
  NestTouches nest{{{.name = "task", .extent = p.tasks}},
                   {{"task", p.tasks, 0}, {"batch", p.batch}, {"m", p.m}, {"n", p.n}, {"k", p.k}},
                   {}};
  const auto all = [&](AxisOf axis) { return TouchedIndex{{{axis}}, 0, nest.axes[axis].size}; };
  nest.tensors = {{"a", Touch::read, {all(task), all(batch), all(m), all(k)}},
                  {"b", Touch::read, {all(batch), all(k), all(n)}},
                  {"c", Touch::write, {all(task), all(m), all(n)}}};
  return nest;
}

}  // namespace brickwork
