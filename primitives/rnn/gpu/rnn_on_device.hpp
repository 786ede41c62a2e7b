// Recurrent layers on a device: a second way to run RnnForwardStep and RnnBackwardBody. A step is a league of teams for
// its product and a league for the cell, with tasks of other sizes; a GRU has two of each.
//
// teams.with_brick<a_transposed>(shape, run) calls run(space, brick, threads), where the brick suits a call of this
// shape. teams.without_brick(run) calls run(space, threads). teams.isa() names the instruction set.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/epilogue/activation.hpp"
#include "kernels/gpu/mma/mma_tiles.hpp"
#include "primitives/bricks/sums_of_columns.hpp"
#include "primitives/rnn/rnn_backward_body.hpp"
#include "primitives/rnn/rnn_forward_body.hpp"
#include "primitives/rnn/rnn_target.hpp"

namespace brickwork {

static_assert(LowFmaTile<>::kM == kFewSequencesOnGpu);

// A step has hardly more than one tile for each multiprocessor. Two groups of warps therefore share a tile's steps over
// k.
using StepFmaTile = FmaTile<kManySequencesOnGpu, 64, 64, 2, 2, 2, 3, 1>;

// Calls with(std::type_identity<Tile>()), as for_fma_tile() does.
template <bool a_transposed, class With>
void for_rnn_tile(const BrgemmShape& shape, const With& with) {
  if constexpr (a_transposed) {
    for_fma_tile<true>(shape, with);
  } else {
    if (shape.m > SquareFmaTile<>::kM && shape.m <= StepFmaTile::kM) return with(std::type_identity<StepFmaTile>());
    if (shape.m > LowFmaTile<>::kM) return with(std::type_identity<SquareFmaTile<>>());
    return with(std::type_identity<LowFmaTile<>>());
  }
}

// A step's product has few sums, each over all gates: shares of a sum are tasks, too.
inline RnnSizes rnn_sizes_on_gpu(std::int64_t N, std::int64_t K, std::int64_t multiprocessors) {
  const std::int64_t Db = ceil_div(K, LowFmaTile<>::kN), bn = sequences_of_gpu_task(N, Db * Db, multiprocessors);
  constexpr std::int64_t kAny = std::numeric_limits<int>::max();
  return {.apart = true,
          .threads = 1,
          .rows_of_x = SquareFmaTile<>::kM,
          .bn = bn,
          .shares = multiprocessors / (Db * ceil_div(N, bn)),
          .bytes_of_weights = std::numeric_limits<std::int64_t>::max(),
          .rows_of_dx = SquareFmaTile<>::kM,
          .rows_of_update = kAny,
          .tasks_of_dx = kAny,
          .tasks_of_update = WideFmaTile<true>::kBlocks * multiprocessors};
}

// A cell's step (rnn_rows.hpp) by the threads of a team, each with its own features.
namespace rnn_by_team {

using V = float;

BRICKWORK_HOST_DEVICE inline V load(const float* p) { return *p; }
BRICKWORK_HOST_DEVICE inline void store(V value, float* p) { *p = value; }
BRICKWORK_HOST_DEVICE inline void store_kept(V value, float* p, bool) { *p = value; }
BRICKWORK_HOST_DEVICE inline V set(float value) { return value; }
BRICKWORK_HOST_DEVICE inline V add(V a, V b) { return a + b; }
BRICKWORK_HOST_DEVICE inline V sub(V a, V b) { return a - b; }
BRICKWORK_HOST_DEVICE inline V mul(V a, V b) { return a * b; }
BRICKWORK_HOST_DEVICE inline V mul_add(V a, V b, V c) { return a * b + c; }
BRICKWORK_HOST_DEVICE inline V sub_mul(V c, V a, V b) { return c - a * b; }
BRICKWORK_HOST_DEVICE inline V sigmoid(V x) { return activated(Activation::sigmoid, x); }
BRICKWORK_HOST_DEVICE inline V tanh(V x) { return activated(Activation::tanh, x); }
BRICKWORK_HOST_DEVICE inline V not_negative(V x) { return activated(Activation::relu, x); }
BRICKWORK_HOST_DEVICE inline V where_positive(V x, V y) { return times_derivative(Activation::relu, y, x); }

#define BRICKWORK_CELL BRICKWORK_HOST_DEVICE inline
#include "primitives/rnn/host/rnn_cells-inl.h"
#undef BRICKWORK_CELL

}  // namespace rnn_by_team

struct RnnRowsByTeam {
  template <class Team, class AnyRows>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, RnnCell cell, RnnHalf half, const AnyRows& r) const {
    rnn_by_team::for_each_turn(r, cell, half, [&](int columns, const auto& policy) {
      for (std::int64_t i = team.rank(); i < r.rows * r.bk; i += team.size()) {
        const auto at = rnn_by_team::vector_at(r, columns, i / r.bk, i % r.bk);
        r.ended(i / r.bk) ? at.stay(columns) : policy(at);
      }
    });
  }
};

template <class Brick, class ShapeOf>
RnnBricks<Brick> bricks_like(const Brick& brick, const ShapeOf& shape_of) {
  RnnBricks<Brick> bricks{{brick, brick, brick}};
  for (int operand = 0; operand < kRnnOperands; ++operand) bricks.of[operand].shape = shape_of(operand);
  return bricks;
}

struct NoBrick {
  BrgemmShape shape;
};

// The tasks of a step. Body is RnnForwardStep or RnnBackwardBody.

template <class Body>
struct RnnShareOfX {
  Body body;
  std::int64_t step;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    const RnnForwardGeometry& g = body.g;
    const LoopRange chunk = g.chunk_of(g.time_of(step));
    const std::int64_t kb = task % g.Kb, row = task / g.Kb * g.x_rows;
    body.add_x(team, {false}, kb, chunk.begin, row, clamp(g.x_rows, 0, chunk.size() * g.N - row), 0,
               body.gates_of(kb, chunk.begin, row), scratch);
  }
};
template <class Body>
struct RnnShareOfProduct {
  Body body;
  std::int64_t step;
  RnnHalf half;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    body.multiply_share(team, step, half, task, scratch);
  }
};
template <class Body>
struct RnnEndOfStep {
  Body body;
  std::int64_t step;
  RnnHalf half;
  std::int64_t Kb, rows;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void*) const {
    body.finish(team, step, half, task % Kb, task / Kb * rows, rows);
  }
};

// body_of(brick) makes a body with copies of the brick. The product has `tasks` tasks; 0: there is no product.
template <class Teams, class BodyOf>
void run_rnn_half(const Teams& teams, const RnnForwardGeometry& g, const BrgemmShape& shape, std::int64_t tasks,
                  const BodyOf& body_of, std::int64_t step, RnnHalf half) {
  constexpr std::int64_t kThreads = 256;  // of a block; each finishes one element
  const std::int64_t rows = std::max(kThreads / g.bk, std::int64_t{1});
  if (tasks > 0) {
    teams.template with_brick<false>(shape, [&](const auto& space, const auto& brick, int threads) {
      const RnnShareOfProduct task{body_of(brick), step, half};
      parallel_league(space, tasks, threads, task.body.bricks.scratch_bytes(), task);
    });
  }
  teams.without_brick([&](const auto& space, int threads) {
    const RnnEndOfStep task{body_of(NoBrick()), step, half, g.Kb, rows};
    parallel_league(space, g.Kb * ceil_div(g.N, rows), threads, 0, task);
  });
}

template <class Teams>
void run_rnn_forward(const Teams& teams, const RnnForwardGeometry& g, const RnnForwardData& data) {
  const auto body_of = [&]<class Brick>(const Brick& brick) {
    const auto bricks = bricks_like(brick, [&](int operand) { return g.brick(operand); });
    return RnnForwardStep<Brick, RnnRowsByTeam>{g, data, bricks, {}};
  };
  for (std::int64_t step = 0; step < g.T; ++step) {
    const std::int64_t t = g.time_of(step), rows_of_chunk = g.chunk_of(t).size() * g.N;
    if (g.begins_chunk(t)) {
      teams.template with_brick<false>(g.brick(kRnnX), [&](const auto& space, const auto& brick, int threads) {
        const RnnShareOfX task{body_of(brick), step};
        parallel_league(space, g.Kb * ceil_div(rows_of_chunk, g.x_rows), threads, task.body.bricks.scratch_bytes(),
                        task);
      });
    }
    for (int half = 0; half < g.halves(); ++half) {
      run_rnn_half(teams, g, g.brick(kRnnState), g.Kb * g.Nb(), body_of, step, static_cast<RnnHalf>(half));
    }
  }
}

template <class Brick>
RnnBackwardBody<Brick, RnnRowsByTeam> rnn_backward_body(const RnnBackwardGeometry& g, const RnnBackwardData& data,
                                                        const Brick& brick) {
  return {g, data, bricks_like(brick, [&](int operand) { return g.product(operand); }), {}};
}

template <class Teams>
void run_rnn_backward(const Teams& teams, const RnnBackwardGeometry& g, const RnnBackwardData& data) {
  const auto body_of = [&](const auto& brick) { return rnn_backward_body(g, data, brick); };
  for (std::int64_t turn = 0; turn <= g.forward.T; ++turn) {
    for (int i = 0; i < g.forward.halves(); ++i) {
      const auto half = static_cast<RnnHalf>(i);
      const std::int64_t tasks = g.has_product(turn, half) ? g.Nb() * g.Db * g.shares : 0;
      run_rnn_half(teams, g.forward, g.product(kRnnState), tasks, body_of, turn, half);
    }
  }
}

template <class Teams>
void run_rnn_update(const Teams& teams, const RnnBackwardGeometry& g, const RnnBackwardData& data) {
  const auto update = [&]<class Brick>(const auto& space, const Brick& brick, int threads) {
    const auto bricks = bricks_like(brick, [&](int operand) { return g.update(operand); });
    const RnnUpdateBody<Brick, SumsOfColumns<float>> body{g, data, bricks, {g.update(kRnnOnes)}};
    parallel_league(space, body.tasks(), threads, body.bricks.scratch_bytes(), body);
  };
  teams.template with_brick<true>(g.update(kRnnX), update);
  if (g.parts_of_update == 1) return;
  teams.without_brick([&](const auto& space, int threads) {
    const SumOfCopies<float> sum{data.gradients, g.parts_of_update};
    parallel_league(space, sum.tasks(threads), threads, 0, sum);
  });
}

template <class Teams>
RnnPasses rnn_passes_by_teams(const RnnForwardGeometry& forward, const RnnBackwardGeometry* back, const Teams& teams) {
  RnnPasses passes{.isa = teams.isa()};
  passes.forward = [=](const RnnForwardData& data) { run_rnn_forward(teams, forward, data); };
  if (back == nullptr) return passes;
  passes.backward_data = [teams, g = *back](const RnnBackwardData& data) { run_rnn_backward(teams, g, data); };
  passes.gradient_of_x = [teams, g = *back](const RnnBackwardData& data) {
    teams.template with_brick<false>(g.product(kRnnX), [&](const auto& space, const auto& brick, int threads) {
      const auto body = rnn_backward_body(g, data, brick);
      parallel_league(space, g.tasks_of_dx(), threads, body.bricks.scratch_bytes(), body);
    });
  };
  passes.weight_update = [teams, g = *back](const RnnBackwardData& data) { run_rnn_update(teams, g, data); };
  return passes;
}

}  // namespace brickwork
