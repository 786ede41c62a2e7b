#include "primitives/rnn/rnn_geometry.hpp"

#include <algorithm>

#include "kernels/base/floats.hpp"
#include "primitives/rnn/rnn_plan.hpp"

namespace brickwork {
namespace {

// The columns of gates that `has` chooses. A call computes at most as many as fit in the brick's widest tile. With
// three such tiles in a call, the rows of B that one tile reads are not next to each other, and GRUs of 256 to 1024
// features take 1 to 6 % more time (Zen 5).
template <class Has>
RnnColumns columns_of(RnnCell cell, const RnnSteps& a, std::int64_t bk, const Has& has) {
  const auto all = gate_columns(cell);
  const auto first = std::ranges::find_if(all, has), end = std::find_if_not(first, all.end(), has);
  if (first == all.end()) return {.a = {.block = 1}};
  RnnColumns c{.a = a, .first = first - all.begin(), .count = end - first};
  std::int64_t of_call = clamp(kColumnsOfTile / bk, 1, c.count);
  while (c.count % of_call != 0) --of_call;
  c.calls = c.count / of_call;
  c.n = of_call * bk;
  c.weights_of_a_call = a.blocks() * a.block * c.n;
  c.together = a.blocks();
  return c;
}

// The largest part of a block that divides it, is a multiple of `unit`, is at least `least` and fits in the brick's
// widest tile; `otherwise` if there is none.
std::int64_t part_of(std::int64_t block, std::int64_t unit, std::int64_t least, std::int64_t otherwise) {
  for (std::int64_t part = kColumnsOfTile / unit * unit; part >= least; part -= unit) {
    if (block % part == 0) return part;
  }
  return otherwise;
}

// The number of equal parts of an update's rows that keeps almost all `at_a_time` tasks busy. Another part must be
// worth the cost of its copy of the gradients. (LSTM of 256 features, 1680 rows: 0.42 ms with one part, 0.10 ms with
// 16; H100.)
std::int64_t parts_of_update(std::int64_t rows, std::int64_t tasks, std::int64_t at_a_time) {
  constexpr std::int64_t kFewRows = 96;
  constexpr double kWorthIt = 1.1;
  const std::int64_t most = std::min(ceil_div(4 * at_a_time, tasks), rows / kFewRows);
  std::int64_t best = 1;
  double best_share = 0;
  for (std::int64_t parts = 1; parts <= most; ++parts) {
    if (rows % parts != 0) continue;
    const std::int64_t all = tasks * parts;
    const double share = static_cast<double>(all) / static_cast<double>(whole_blocks(all, at_a_time));
    if (share > kWorthIt * best_share) best = parts, best_share = share;
  }
  return best;
}

}  // namespace

RnnForwardGeometry rnn_forward_geometry(const RnnLayerShape& shape, const RnnPlan& plan, bool training,
                                        const RnnSizes& sizes) {
  const auto columns = [&](const RnnSteps& a, bool (*has)(const GateColumn&)) {
    return columns_of(shape.cell, a, plan.bk, has);
  };
  RnnSteps state = shape.y;
  state.parts = 1;
  RnnSteps reset = state;
  reset.slots = training ? shape.T : 1;
  RnnSteps ones = state;
  ones.size = ones.block = 1;
  RnnSteps c = state;
  c.block = plan.bk;
  c.slots = shape.cell != RnnCell::lstm ? 0 : training ? shape.T + 1 : 2;
  const bool x_with_state = plan.steps == 1 && !sizes.apart;
  return {.cell = shape.cell,
          .reversed = shape.reversed,
          .training = training,
          .direction = shape.part,
          .apart = sizes.apart,
          .T = shape.T,
          .N = state.N,
          .Kb = c.blocks(),
          .bk = plan.bk,
          .bn = plan.bn,
          .steps = plan.steps,
          .of = {columns(shape.x, [](const GateColumn& column) { return column.layer >= 0; }),
                 columns(state, [](const GateColumn& column) { return column.iter >= 0 && !column.of_reset; }),
                 columns(reset, [](const GateColumn& column) { return column.of_reset; }),
                 columns(ones, [](const GateColumn&) { return true; })},
          .c = c,
          .columns = static_cast<std::int64_t>(gate_columns(shape.cell).size()),
          .gate_rows = (training ? shape.T : plan.steps) * state.N,
          .x_rows = equal_block(x_with_state ? plan.bn : plan.steps * state.N, sizes.rows_of_x)};
}

BrgemmShape RnnForwardGeometry::brick(int operand) const {
  const RnnSteps& a = of[operand].a;
  const std::int64_t n = of[operand].n;
  return {.m = static_cast<int>(operand == kRnnX ? x_rows : bn),
          .n = static_cast<int>(n),
          .k = static_cast<int>(a.block),
          .lda = a.block,
          .ldb = n,
          .ldc = row_of_gates(),
          .beta = operand == kRnnX ? 0 : 1,
          .stride_a = a.block_size(),
          .stride_b = a.block * n};
}

RnnBackwardGeometry rnn_backward_geometry(const RnnForwardGeometry& forward, const RnnSizes& sizes) {
  constexpr std::int64_t kFew = 16;
  const std::int64_t bd = part_of(forward.of[kRnnState].a.block, forward.bk, forward.bk, forward.bk);
  const std::int64_t Db = ceil_div(forward.Kb, bd / forward.bk);
  RnnBackwardGeometry g{.forward = forward, .bn = sizes.bn, .shares = clamp(sizes.shares, 1, Db), .bd = bd, .Db = Db};
  g.dh = {.size = forward.c.size, .block = bd, .slots = 1, .N = forward.N};
  g.dc = {.size = forward.c.size, .block = forward.bk, .slots = clamp(forward.c.slots, 0, 1), .N = forward.N};
  // One cache line is added, because the length is a power of two: the elements of a column would share few sets of a
  // cache. The weight update takes 3 to 5 % less time with it (Zen 5).
  g.row_of_dgates = forward.columns * bd + kFloatsOfLine;
  std::int64_t tasks = 0;
  for (int i = 0; i < kRnnGradients; ++i) {
    const RnnColumns& columns = forward.of[i];
    if (columns.count == 0) continue;
    RnnGradientColumns& of = g.of[i];
    of.block = i == kRnnX ? part_of(columns.a.block, 1, kFew, columns.a.block) : i == kRnnOnes ? 1 : bd;
    of.blocks = columns.a.blocks() * columns.a.block / of.block;
    const std::int64_t bytes = columns.count * bd * of.block * static_cast<std::int64_t>(sizeof(float));
    of.together = clamp(sizes.bytes_of_weights / bytes, 1, Db);
    of.k = columns.count * bd;
    of.size = of.blocks * of.block * Db * columns.count * bd;
    of.gradient = g.size_of_gradients;
    g.size_of_gradients += whole_blocks(of.size, kFloatsOfLine);
    if (i < kRnnOperands) tasks += Db * columns.a.blocks();
  }
  // Equal groups, the same number for each thread: with 39 groups for two threads, the gradients of x in GNMT's layers
  // took 7 % more time (Zen 5).
  const std::int64_t groups = ceil_div(g.rows(), sizes.rows_of_dx);
  g.rows_of_dx = ceil_div(g.rows(), groups < sizes.threads ? groups : whole_blocks(groups, sizes.threads));
  g.shares_of_dx = clamp(ceil_div(sizes.tasks_of_dx, ceil_div(g.rows(), g.rows_of_dx)), 1, g.of[kRnnX].blocks);
  g.parts_of_update = parts_of_update(g.rows(), tasks, sizes.tasks_of_update);
  const std::int64_t of_part = g.rows() / g.parts_of_update;
  const bool at_once = of_part <= sizes.rows_of_update;
  g.rows_of_update = at_once ? of_part : forward.N;
  g.updates = at_once ? 1 : clamp(sizes.rows_of_update / forward.N, 1, forward.T);
  return g;
}

BrgemmShape RnnBackwardGeometry::product(int operand) const {
  const std::int64_t block = of[operand].block;
  return {.m = static_cast<int>(operand == kRnnX ? rows_of_dx : bn),
          .n = static_cast<int>(block),
          .k = static_cast<int>(of[operand].k),
          .lda = row_of_dgates,
          .ldb = block,
          .ldc = operand == kRnnX ? forward.of[kRnnX].a.block : bd,
          .stride_a = rows() * row_of_dgates,
          .stride_b = forward.of[operand].count * bd * block};
}

BrgemmShape RnnBackwardGeometry::update(int operand) const {
  const std::int64_t block = forward.of[operand].a.block, n = forward.of[operand].count * bd;
  return {.m = static_cast<int>(block),
          .n = static_cast<int>(n),
          .k = static_cast<int>(rows_of_update),
          .lda = block,
          .ldb = row_of_dgates,
          .ldc = n,
          .a_transposed = true,
          .stride_a = rows_of_update * block,
          .stride_b = rows_of_update * row_of_dgates};
}

}  // namespace brickwork
