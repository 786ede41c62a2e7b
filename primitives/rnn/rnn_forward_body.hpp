// The forward pass of a recurrent layer in one direction, for every space and brick.
//
//   gates[t][n][kb] = bias[kb] + sum over blocks c of x[c][t][n] * weights[kb][c] + the same sum over the state before
//   t
//
// At a step, the brick computes the gates of a block of features: it sums x's blocks and the state's blocks, with the
// weights of all gates side by side. The cell makes the new state from the gates while they are in the cache.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440), Algorithm
// 2, which calls a brick for each gate, and separately for x and h.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/portable/brgemm_portable.hpp"
#include "primitives/rnn/rnn_geometry.hpp"

namespace brickwork {

// Every other step runs through its blocks and calls backwards, so that it begins with the weights that the step before
// has read last. One sequence of an LSTM takes 12 % less time with 512 features (the weights are twice the cores' L2)
// and 4 % less with 1024; many sequences take up to 2 % less (Zen 5).
struct ThereOrBack {
  bool back;
  BRICKWORK_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t count) const {
    return back ? count - 1 - i : i;
  }
};

// One step for a block of K's features and a block of sequences. Brick: see tile_brick.hpp. Rows: the cells of
// rnn_rows.hpp, run by a thread or by a team.
template <class Brick, class Rows>
struct RnnForwardStep {
  RnnForwardGeometry g;
  RnnForwardData data;
  RnnBricks<Brick> bricks;
  Rows rows;

  // What to prefetch after a product: the rows of A `a` elements further (0: none), and an operand's weights.
  struct Next {
    int operand;
    std::int64_t kb, a = 0;
  };

  // gates = bias + x * weights, for `count` rows from sequence n at time t on. The next call's rows of x are `next`
  // rows further.
  template <class Team>
  BRICKWORK_HOST_DEVICE void add_x(const Team& team, ThereOrBack order, std::int64_t kb, std::int64_t t, std::int64_t n,
                                   std::int64_t count, std::int64_t next, float* gates, void* scratch) const {
    multiply(team, order, kRnnX, data.rows(g, kRnnX, t, n), kb, gates, count,
             {kRnnState, kb, next * g.of[kRnnX].a.block}, scratch);
    // Columns that x does not reach get their bias only.
    const std::int64_t reached = (g.of[kRnnX].first + g.of[kRnnX].count) * g.bk;
    for (std::int64_t row = 0; row < count; ++row) {
      float* const to = gates + row * g.row_of_gates();
      for (std::int64_t i = reached + team.rank(); i < g.row_of_gates(); i += team.size()) to[i] = bias_at(kb)[i];
    }
  }

  // gates += h * weights, where h is the state before the step or, in a GRU's second half, the reset state.
  template <class Team>
  BRICKWORK_HOST_DEVICE void add_state(const Team& team, ThereOrBack order, std::int64_t step, RnnHalf half,
                                       std::int64_t kb, std::int64_t n, Next next, float* gates, void* scratch) const {
    const int operand = half == RnnHalf::first ? kRnnState : kRnnReset;
    multiply(team, order, operand, data.rows(g, operand, g.time_of(step), n), kb, gates, clamp(g.bn, 0, g.N - n), next,
             scratch);
  }

  // add_state() as a task of its own, on a device.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_share(const Team& team, std::int64_t step, RnnHalf half, std::int64_t task,
                                            void* scratch) const {
    const std::int64_t kb = task / g.Nb(), n = task % g.Nb() * g.bn;
    add_state(team, {false}, step, half, kb, n, {kRnnState, kb}, gates_of(kb, g.time_of(step), n), scratch);
  }

  // The cell computes the state after the step from the gates.
  template <class Team>
  BRICKWORK_HOST_DEVICE void finish(const Team& team, std::int64_t step, RnnHalf half, std::int64_t kb, std::int64_t n,
                                    std::int64_t count, std::int64_t thread = 0) const {
    const std::int64_t t = g.time_of(step), feature = kb * g.bk, c_last = g.c.slots - 1;
    const RnnSteps &y = g.of[kRnnState].a, &reset = g.of[kRnnReset].a;
    const bool has_c = g.c.slots > 0;
    rows(team, g.cell, half,
         RnnRows{.rows = clamp(count, 0, g.N - n),
                 .bk = g.bk,
                 .gates = gates_of(kb, t, n, thread),
                 .kept = g.training ? kept_gates(kb, t, n) : nullptr,
                 .h_before = data.states + y.at(0, feature, g.slot_before(t), n),
                 .h_after = data.states + y.at(0, feature, 1 + t, n),
                 .reset = g.resets() ? data.reset + reset.at(0, feature, clamp(t, 0, reset.slots - 1), n) : nullptr,
                 .ldh = y.block,
                 .c_before = has_c ? data.c + g.c.at(0, feature, clamp(step, 0, c_last), n) : nullptr,
                 .c_after = has_c ? data.c + g.c.at(0, feature, clamp(step + 1, 0, c_last), n) : nullptr,
                 .lengths = data.lengths == nullptr ? nullptr : data.lengths + n,
                 .step = static_cast<std::int32_t>(t)});
  }

  BRICKWORK_HOST_DEVICE float* gates_of(std::int64_t kb, std::int64_t t, std::int64_t n,
                                        std::int64_t thread = 0) const {
    return g.in_tile() ? data.tiles + thread * g.bn * g.row_of_gates() : kept_gates(kb, t, n);
  }

 private:
  BRICKWORK_HOST_DEVICE float* kept_gates(std::int64_t kb, std::int64_t t, std::int64_t n) const {
    return data.gates + g.gates_at(kb, g.gate_row(t) + n);
  }
  BRICKWORK_HOST_DEVICE const float* bias_at(std::int64_t kb) const { return data.bias + kb * g.row_of_gates(); }
  BRICKWORK_HOST_DEVICE const float* weights(int operand, std::int64_t kb, std::int64_t call) const {
    return data.weights[operand] + g.of[operand].weights_at(kb, call);
  }
  BRICKWORK_HOST_DEVICE NextRows weights_read(int operand, std::int64_t kb, std::int64_t call) const {
    const RnnColumns& of = g.of[operand];
    return {weights(operand, kb, call), of.together * of.a.block * of.n * static_cast<std::int64_t>(sizeof(float))};
  }

  // All calls for an operand's columns, each over some of the operand's blocks. Each call prefetches the next call's
  // weights.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply(const Team& team, ThereOrBack order, int operand, const float* from,
                                      std::int64_t kb, float* gates, std::int64_t count, const Next& next,
                                      void* scratch) const {
    const auto& [a, first, columns, calls, n, weights_of_a_call, together] = g.of[operand];
    const std::int64_t blocks = a.blocks(), parts = kSumsInParts<Brick> ? ceil_div(blocks, together) : 1;
    constexpr std::int64_t bytes = sizeof(float);
    for (std::int64_t done = 0; done < calls; ++done) {
      const std::int64_t i = order(done, calls), k = first * g.bk + i * n;
      const bool last = done + 1 == calls;
      const NextRows behind = last ? weights_read(next.operand, next.kb, order(0, g.of[next.operand].calls))
                                   : weights_read(operand, kb, order(done + 1, calls));
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t block = part * together;
        const float* const weights_of_part = weights(operand, kb, i) + block * a.block * n;
        BrgemmCall call;
        call.batch = Batch::strided(from + block * a.block_size(), weights_of_part, clamp(together, 0, blocks - block),
                                    a.block_size() * bytes, a.block * n * bytes);
        call.c = gates + k;
        call.rows = static_cast<int>(count);
        call.next_a = last ? next.a : 0;
        call.read_next = behind;
        if (part + 1 < parts) call.read_next.first = weights_of_part + together * a.block * n;
        if (operand == kRnnX && part + 1 == parts) call.epilogue.bias = bias_at(kb) + k;
        bricks.of[operand](team, operand == kRnnX && part == 0 ? 0 : 1, call, scratch);
      }
    }
  }
};

// Algorithm 2, run by each thread of the host: T steps, K features in blocks of bk, N sequences in blocks of bn; the
// brick sums over C inputs in blocks of bc. wait() is a barrier where a thread needs the others' results.
template <class Brick, class Rows>
struct RnnForwardBody {
  RnnForwardStep<Brick, Rows> at;

  template <class Wait>
  void over_time(const RnnShare& mine, const Wait& wait) const {
    const RnnForwardGeometry& g = at.g;
    for (std::int64_t step = 0; step < g.T; ++step) {
      const std::int64_t t = g.time_of(step);
      if (g.begins_chunk(t)) {
        const LoopRange chunk = g.chunk_of(t);
        for (std::int64_t kb = mine.Kb.begin; kb < mine.Kb.end; ++kb) {
          at.add_x(OneThread(), {step % 2 == 1}, kb, chunk.begin, 0, chunk.size() * g.N, 0,
                   at.gates_of(kb, chunk.begin, 0), nullptr);
        }
        wait();
      }
      for (int half = 0; half < g.halves(); ++half) {
        over_blocks(mine, step, static_cast<RnnHalf>(half));
        wait();
      }
    }
  }

 private:
  void over_blocks(const RnnShare& mine, std::int64_t step, RnnHalf half) const {
    const RnnForwardGeometry& g = at.g;
    const ThereOrBack order{step % 2 == 1};
    const std::int64_t Nb = mine.Nb.size(), tasks = mine.tasks.size(), t = g.time_of(step);
    for (std::int64_t done = 0; done < tasks; ++done) {
      const std::int64_t task = mine.tasks.begin + order(done, tasks);
      const std::int64_t kb = task / Nb, n = (mine.Nb.begin + task % Nb) * g.bn;
      const bool last_kb = done + Nb >= tasks;
      const std::int64_t next_kb = last_kb ? kb : order.back ? kb - 1 : kb + 1;
      float* const gates = at.gates_of(kb, t, n, mine.thread);
      if (half == RnnHalf::first && !g.x_apart()) {
        // A thread's last block of K prefetches the next step's rows of x: an LSTM of 256 features takes 1 to 3 % less
        // time (Zen 5).
        const std::int64_t next = last_kb ? (g.reversed ? -g.N : g.N) : 0;
        at.add_x(OneThread(), order, kb, t, n, clamp(g.bn, 0, g.N - n), next, gates, nullptr);
      }
      const int reads_next = half == RnnHalf::second ? kRnnReset : g.x_apart() ? kRnnState : kRnnX;
      at.add_state(OneThread(), order, step, half, kb, n, {reads_next, next_kb}, gates, nullptr);
      at.finish(OneThread(), step, half, kb, n, g.bn, mine.thread);
    }
  }
};

}  // namespace brickwork
