// A recurrent layer forward, one way through time, on one page: for every space and every brick.
//
//   gates[t][n][kb] = bias[kb] + sum over blocks c of x[c][t][n] * weights[kb][c] + the same of the state before
//
// At a step the gates of a block of features are the brick's sums of x's blocks and of the state's with the weights of
// all of their columns side by side; the cell makes the new state of them while they are in the cache.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440), Algorithm
// 2, which has a brick for each gate and for x and h apart.
#pragma once
#include <algorithm>
#include <cstdint>

#include "brgemm.hpp"
#include "host_device.hpp"
#include "rnn/rnn_over_time.hpp"
#include "rnn/rnn_rows.hpp"
#include "rnn/rnn_steps.hpp"

namespace brickwork {

// Columns of gates that are multiplied by the same A, so many in a call, and their weights in [blocks of K][calls]
// [blocks of A][block][columns of a call * bk].
struct RnnColumns {
  std::int64_t first = 0, count = 0, of_call = 1, weights_of_a_call = 0;

  BRICKWORK_HOST_DEVICE std::int64_t calls() const { return count / of_call; }
  BRICKWORK_HOST_DEVICE std::int64_t weights_at(std::int64_t kb, std::int64_t call) const {
    return (kb * calls() + call) * weights_of_a_call;
  }
  BRICKWORK_HOST_DEVICE std::int64_t bytes_of_a_call() const {
    return weights_of_a_call * static_cast<std::int64_t>(sizeof(float));
  }
};

// Problem and plan as the loops see them.
struct RnnForwardGeometry {
  RnnCell cell;
  bool reversed, training;
  bool apart;  // sums and what a cell makes of them are tasks of their own, as a device has them
  std::int64_t T, N, Kb;
  std::int64_t bk, bn, steps;  // of the plan
  RnnSteps x, y, reset;        // y: one of its parts; reset: r h of a GRU, at one step or, in training, at each
  RnnColumns of_x, of_state, of_reset;
  std::int64_t columns;             // of gates, in all
  std::int64_t gate_rows, c_slots;  // of a block of K
  std::int64_t x_rows;              // of a call

  BRICKWORK_HOST_DEVICE bool resets() const { return of_reset.count > 0; }
  // Whether sums need no place but a tile that each worker has: they are finished in the same task.
  BRICKWORK_HOST_DEVICE bool in_tile() const { return !apart && steps == 1 && !resets(); }
  // Whether a chunk's share of x is in its gates before its first step; else each task has all rows of its columns.
  BRICKWORK_HOST_DEVICE bool x_apart() const { return apart || (steps > 1 && bn < N); }
  BRICKWORK_HOST_DEVICE std::int64_t row_of_gates() const { return columns * bk; }
  // Of the weights that each step reads.
  std::int64_t bytes_of_recurrence() const {
    return (of_state.weights_at(Kb, 0) + of_reset.weights_at(Kb, 0)) * static_cast<std::int64_t>(sizeof(float));
  }
  BRICKWORK_HOST_DEVICE std::int64_t gates_at(std::int64_t kb, std::int64_t row) const {
    return (kb * gate_rows + row) * row_of_gates();
  }
  BRICKWORK_HOST_DEVICE std::int64_t c_at(std::int64_t kb, std::int64_t slot, std::int64_t n) const {
    return ((kb * c_slots + slot) * N + n) * bk;
  }
  // The steps whose gates are in memory at once, with this one, as they are counted in time.
  BRICKWORK_HOST_DEVICE LoopRange chunk_of(std::int64_t step) const {
    const std::int64_t begin = step / steps * steps, end = clamp(begin + steps, 0, T);
    return reversed ? LoopRange{T - end, T - begin} : LoopRange{begin, end};
  }
  // Of the states: where the one before step t stands.
  BRICKWORK_HOST_DEVICE std::int64_t slot_before(std::int64_t t) const { return reversed ? t + 2 : t; }
  RnnTurns turns() const { return {T, resets() ? 2 : 1, ceil_div(N, bn), Kb, !x_apart()}; }

  // Of the calls for x, the state and what is reset.
  BrgemmShape brick_shape(const RnnColumns& of, std::int64_t rows, const RnnSteps& a, int beta) const {
    const std::int64_t n = of.of_call * bk;
    return {.m = static_cast<int>(rows),
            .n = static_cast<int>(n),
            .k = static_cast<int>(a.block),
            .lda = a.block,
            .ldb = n,
            .ldc = row_of_gates(),
            .beta = beta,
            .stride_a = a.block_size(),
            .stride_b = a.block * n};
  }
  BrgemmShape x_brick() const { return brick_shape(of_x, x_rows, x, 0); }
  BrgemmShape state_brick() const { return brick_shape(of_state, bn, y, 1); }
  BrgemmShape reset_brick() const { return brick_shape(of_reset, bn, reset, 1); }
};

// Rows of bk elements that a block of threads finishes: one element for each of 256.
BRICKWORK_HOST_DEVICE constexpr std::int64_t rows_of_finish(std::int64_t bk) { return bk < 256 ? 256 / bk : 1; }

struct RnnForwardData {
  const float* x;  // from its first step on
  const float *weights_of_x, *weights_of_state, *weights_of_reset;
  const float* bias;  // [Kb][columns][bk]
  float* states;      // T + 2 slots: the state before the first step stands in the slot before it
  float* gates;       // [Kb][steps, all of them in training][N][columns][bk]; or null
  float* tiles;       // of each worker, [bn][columns][bk]; or null
  float* c;           // [Kb][before and behind a step, or each of them][N][bk]
  float* reset;
  const std::int32_t* lengths;  // or null
};

// Brick: see tile_brick.hpp; x's overwrites, the others add. Rows: rnn_rows.hpp by a thread or by a team.
template <class Brick, class Rows>
struct RnnForwardBody {
  RnnForwardGeometry g;
  RnnForwardData data;
  Brick x_brick, state_brick, reset_brick;
  Rows rows;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const RnnTurn& turn, void* scratch) const {
    const std::int64_t Nb = turn.blocks.size();
    const Moment m = moment(turn.step);
    const Product of_x = x_product(), of_state = state_product(), of_reset = reset_product();
    for (std::int64_t done = 0; done < turn.tasks.size(); ++done) {
      const std::int64_t i = turn.tasks.begin + m.order(done, turn.tasks.size());
      const std::int64_t kb = i / Nb, n = (turn.blocks.begin + i % Nb) * g.bn;
      const bool last_kb = done + Nb >= turn.tasks.size();
      const std::int64_t next_kb = last_kb ? kb : m.order.back ? kb - 1 : kb + 1;
      const RnnRows r = rows_at(m, kb, n, g.bn, turn.worker);
      if (turn.half == RnnHalf::first) {
        if (g.x_apart()) {
          // add_x_of_chunk() has done it.
        } else if (g.steps == 1) {
          // A worker's last block of K asks for the next step's rows of x: 1 to 3 % of an LSTM of 256 features (Zen 5).
          const std::int64_t next = last_kb ? (g.reversed ? -g.N : g.N) : 0;
          add_x(team, m.order, kb, m.t * g.N + n, r.rows, next, r.gates, scratch);
        } else if (turn.step % g.steps == 0) {
          add_x(team, m.order, kb, m.chunk.begin * g.N, m.chunk.size() * g.N, 0, gates_of_chunk(m, kb), scratch);
        }
        team.barrier();  // here and below: threads of a team go on with what others of it have written
        multiply(team, m.order, of_state, m.before + n * g.y.block, kb, r.gates, r.rows, nullptr,
                 first_of(g.steps == 1 ? of_x : of_state, next_kb, m.order), scratch);
      } else {
        multiply(team, m.order, of_reset, m.reset + n * g.reset.block, kb, r.gates, r.rows, nullptr,
                 first_of(of_reset, next_kb, m.order), scratch);
      }
      team.barrier();
      rows(team, g.cell, turn.half, r);
      team.barrier();
    }
  }

  // The same in tasks of their own: of a chunk before its first step, so many of its share of x; of each half so many,
  // a block of threads each, of the state's, or what is reset's; and of the cell, of few elements for many threads.
  std::int64_t tasks_of_x(std::int64_t step) const {
    const bool begins = g.x_apart() && step % g.steps == 0;
    return begins ? g.Kb * ceil_div(g.chunk_of(step).size() * g.N, g.x_rows) : 0;
  }
  template <class Team>
  BRICKWORK_HOST_DEVICE void add_x_of_chunk(const Team& team, std::int64_t step, std::int64_t task,
                                            void* scratch) const {
    const Moment m = moment(step);
    const std::int64_t kb = task % g.Kb, row = task / g.Kb * g.x_rows;
    add_x(team, m.order, kb, m.chunk.begin * g.N + row, clamp(g.x_rows, 0, m.chunk.size() * g.N - row), 0,
          gates_of_chunk(m, kb) + row * g.row_of_gates(), scratch);
  }
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_share(const Team& team, std::int64_t step, RnnHalf half, std::int64_t task,
                                            void* scratch) const {
    const Moment m = moment(step);
    const std::int64_t Nb = ceil_div(g.N, g.bn), kb = task / Nb, n = task % Nb * g.bn;
    const Product of = half == RnnHalf::first ? state_product() : reset_product();
    const float* const a = (half == RnnHalf::first ? m.before : m.reset) + n * of.a.block;
    multiply(team, m.order, of, a, kb, data.gates + g.gates_at(kb, m.gate_row + n), clamp(g.bn, 0, g.N - n), nullptr,
             first_of(of, kb, m.order), scratch);
  }
  template <class Team>
  BRICKWORK_HOST_DEVICE void finish(const Team& team, std::int64_t step, RnnHalf half, std::int64_t task) const {
    const std::int64_t count = rows_of_finish(g.bk);
    rows(team, g.cell, half, rows_at(moment(step), task % g.Kb, task / g.Kb * count, count, 0));
  }

  std::int64_t scratch_bytes() const {
    return std::max({x_brick.scratch_bytes(), state_brick.scratch_bytes(), reset_brick.scratch_bytes()});
  }

 private:
  // Every other step goes back through its blocks and calls, to begin with the weights that the one before has read
  // last: one sequence of an LSTM takes 12 % less with 512 features, whose weights are twice the cores' L2, and 4 %
  // with 1024; many sequences take up to 2 % less (Zen 5).
  struct ThereOrBack {
    bool back;
    BRICKWORK_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t count) const {
      return back ? count - 1 - i : i;
    }
  };
  // Everything at one place in time, which the workers' shares of it have in common.
  struct Moment {
    std::int64_t t, gate_row, c_before, c_after;
    LoopRange chunk;  // the steps whose gates are in memory at once
    const float* before;
    float *after, *reset;
    ThereOrBack order;
  };
  BRICKWORK_HOST_DEVICE Moment moment(std::int64_t step) const {
    const std::int64_t t = g.reversed ? g.T - 1 - step : step, slot = g.y.slot_size();
    const LoopRange chunk = g.chunk_of(step);
    return {.t = t,
            .gate_row = (g.training ? t : t - chunk.begin) * g.N,
            .c_before = g.training || step == 0 ? step : 1,
            .c_after = g.training ? step + 1 : 1,
            .chunk = chunk,
            .before = data.states + g.slot_before(t) * slot,
            .after = data.states + (1 + t) * slot,
            .reset = data.reset + (g.training && g.resets() ? t * slot : 0),
            .order = {step % 2 == 1}};
  }

  BRICKWORK_HOST_DEVICE float* gates_of_chunk(const Moment& m, std::int64_t kb) const {
    return data.gates + g.gates_at(kb, g.training ? m.chunk.begin * g.N : 0);
  }

  BRICKWORK_HOST_DEVICE RnnRows rows_at(const Moment& m, std::int64_t kb, std::int64_t n, std::int64_t count,
                                        std::int64_t worker) const {
    const std::int64_t feature = kb * g.bk, h = g.y.at(0, feature, 0, n);
    float* const gates = data.gates == nullptr ? nullptr : data.gates + g.gates_at(kb, m.gate_row + n);
    const bool has_c = g.c_slots > 0;
    return {.rows = clamp(count, 0, g.N - n),
            .bk = g.bk,
            .gates = g.in_tile() ? data.tiles + worker * g.bn * g.row_of_gates() : gates,
            .kept = g.training ? gates : nullptr,
            .h_before = m.before + h,
            .h_after = m.after + h,
            .reset = g.resets() ? m.reset + g.reset.at(0, feature, 0, n) : nullptr,
            .ldh = g.y.block,
            .c_before = has_c ? data.c + g.c_at(kb, m.c_before, n) : nullptr,
            .c_after = has_c ? data.c + g.c_at(kb, m.c_after, n) : nullptr,
            .lengths = data.lengths == nullptr ? nullptr : data.lengths + n,
            .step = static_cast<std::int32_t>(m.t)};
  }

  // Of some columns: all A that they are sums of, with their weights.
  struct Product {
    const Brick& brick;
    int beta;
    const RnnColumns& columns;
    const RnnSteps& a;
    const float* weights;
  };
  BRICKWORK_HOST_DEVICE Product x_product() const { return {x_brick, 0, g.of_x, g.x, data.weights_of_x}; }
  BRICKWORK_HOST_DEVICE Product state_product() const {
    return {state_brick, 1, g.of_state, g.y, data.weights_of_state};
  }
  BRICKWORK_HOST_DEVICE Product reset_product() const {
    return {reset_brick, 1, g.of_reset, g.reset, data.weights_of_reset};
  }
  // What is read behind it: A so far on, or 0, and a call's weights.
  struct Next {
    std::int64_t a;
    const float* weights;
    std::int64_t bytes;
  };
  BRICKWORK_HOST_DEVICE static Next first_of(const Product& p, std::int64_t kb, ThereOrBack order, std::int64_t a = 0) {
    return {a, p.weights + p.columns.weights_at(kb, order(0, p.columns.calls())), p.columns.bytes_of_a_call()};
  }
  // All calls for its columns in these rows of gates, each of which asks for the next one's weights.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply(const Team& team, ThereOrBack order, const Product& p, const float* a,
                                      std::int64_t kb, float* gates, std::int64_t count, const float* bias,
                                      const Next& next, void* scratch) const {
    const std::int64_t n = p.columns.of_call * g.bk, bytes = sizeof(float), calls = p.columns.calls();
    for (std::int64_t done = 0; done < calls; ++done) {
      const std::int64_t i = order(done, calls), k = p.columns.first * g.bk + i * n;
      const bool last = done + 1 == calls;
      BrgemmCall call;
      call.batch =
          Batch::strided(a, p.weights + p.columns.weights_at(kb, i), p.columns.weights_of_a_call / (p.a.block * n),
                         p.a.block_size() * bytes, p.a.block * n * bytes);
      call.c = gates + k;
      call.rows = static_cast<int>(count);
      call.next_a = last ? next.a : 0;
      call.read_next = {last ? next.weights : p.weights + p.columns.weights_at(kb, order(done + 1, calls)),
                        last ? next.bytes : p.columns.bytes_of_a_call()};
      call.epilogue.bias = bias == nullptr ? nullptr : bias + k;
      p.brick(team, p.beta, call, scratch);
    }
  }

  // Rows of x from `row` on, steps and sequences counted through; `next` is how far on the next ones are, or 0.
  template <class Team>
  BRICKWORK_HOST_DEVICE void add_x(const Team& team, ThereOrBack order, std::int64_t kb, std::int64_t row,
                                   std::int64_t count, std::int64_t next, float* gates, void* scratch) const {
    const Product of_x = x_product(), of_state = state_product();
    const float* const bias = data.bias + kb * g.row_of_gates();
    for (std::int64_t r = 0; r < count; r += g.x_rows) {
      multiply(team, order, of_x, data.x + (row + r) * g.x.block, kb, gates + r * g.row_of_gates(),
               clamp(g.x_rows, 0, count - r), bias, first_of(of_state, kb, order, next * g.x.block), scratch);
    }
    // Columns that x does not reach.
    const std::int64_t reached = (g.of_x.first + g.of_x.count) * g.bk;
    for (std::int64_t r = 0; r < count; ++r) {
      float* const row_of_gates = gates + r * g.row_of_gates();
      for (std::int64_t i = reached + team.rank(); i < g.row_of_gates(); i += team.size()) row_of_gates[i] = bias[i];
    }
  }
};

}  // namespace brickwork
