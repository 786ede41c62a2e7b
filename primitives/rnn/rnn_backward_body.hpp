// A recurrent layer back through time on one page, for every space and every brick, out of what forward has kept.
//
//   dgates[t]    = cell's gradients of dh[t] + dy[t];  dh[t - 1] += dgates[t] * weights of the state, transposed
//   dx[t]        = dgates[t] * weights of x, transposed
//   dweights     = sum over t of (x[t] or the state before)^T * dgates[t];  dbias = sum over t of ones * dgates[t]
//
// What is sequential is the state's gradient: at a step, that of a block of features is the brick's sum over all gates'
// gradients of the step behind it with the weights of the recurrence; of it and of y's the cell makes those of its own
// gates. The others are products of all steps at once.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440), whose
// backward pass has a step's products inside the loop over time.
#pragma once
#include <algorithm>
#include <cstdint>

#include "brgemm.hpp"
#include "host_device.hpp"
#include "private_copies.hpp"
#include "rnn/rnn_forward_body.hpp"

namespace brickwork {

// Columns of gates whose gradients meet the same weights: those [blocks][Db][columns * bd][block], transposed, and
// their gradient [Db][rows.blocks()][rows.block][columns * bd].
struct RnnGradientColumns {
  std::int64_t first = 0, count = 0;
  RnnSteps rows;              // features that they were sums of
  std::int64_t block = 0;     // of those features, in a task's product
  std::int64_t together = 0;  // blocks of bd that a call of the product sums over
  std::int64_t gradient = 0;  // where it begins, behind those of the others

  BRICKWORK_HOST_DEVICE std::int64_t blocks() const { return rows.blocks() * rows.block / block; }
};

struct RnnBackwardGeometry {
  RnnForwardGeometry forward;
  std::int64_t bn;      // sequences of a task
  std::int64_t shares;  // of a step's product, where it has tasks of its own
  std::int64_t bd, Db;  // features of a task, a multiple of bk that divides a block of the state's, in Db blocks
  RnnGradientColumns of_x, of_state, of_reset;
  std::int64_t row_of_dgates;            // in memory, of which the gates are the first
  std::int64_t rows_of_dx;               // of a call
  std::int64_t rows_of_update, updates;  // of each of a call's members, and how many of them
  std::int64_t parts_of_update;          // equal ones of all rows, each with gradients of its own
  std::int64_t gradient_of_bias, size_of_gradients;

  BRICKWORK_HOST_DEVICE std::int64_t row_of_gates() const { return forward.columns * bd; }
  BRICKWORK_HOST_DEVICE std::int64_t rows() const { return forward.T * forward.N; }
  BRICKWORK_HOST_DEVICE std::int64_t dgates_at(std::int64_t block, std::int64_t row) const {
    return (block * rows() + row) * row_of_dgates;
  }
  BRICKWORK_HOST_DEVICE std::int64_t dh_at(std::int64_t feature, std::int64_t n) const {
    return (feature / bd * forward.N + n) * bd + feature % bd;
  }
  // A step more than forward has, for the gradient of the first state.
  RnnTurns turns() const { return {forward.T + 1, forward.resets() ? 2 : 1, ceil_div(forward.N, bn), Db, true}; }

  // Of the products, which add to what is there, and of the updates.
  BrgemmShape product(const RnnGradientColumns& of, std::int64_t count, std::int64_t ldc) const {
    const std::int64_t k = of.count * bd;
    return {.m = static_cast<int>(count),
            .n = static_cast<int>(of.block),
            .k = static_cast<int>(k),
            .lda = row_of_dgates,
            .ldb = of.block,
            .ldc = ldc,
            .beta = 1,
            .stride_a = rows() * row_of_dgates,
            .stride_b = k * of.block};
  }
  BrgemmShape x_product() const { return product(of_x, rows_of_dx, of_x.rows.block); }
  BrgemmShape state_product(const RnnGradientColumns& of) const { return product(of, bn, of.block); }
  BrgemmShape update(const RnnGradientColumns& of, int beta) const {
    const std::int64_t n = of.count * bd;
    return {.m = static_cast<int>(of.rows.block),
            .n = static_cast<int>(n),
            .k = static_cast<int>(rows_of_update),
            .lda = of.rows.block,
            .ldb = row_of_dgates,
            .ldc = n,
            .a_transposed = true,
            .beta = beta,
            .stride_a = rows_of_update * of.rows.block,
            .stride_b = rows_of_update * row_of_dgates};
  }
  BrgemmShape bias_update() const {
    return {.m = 1,
            .n = static_cast<int>(row_of_gates()),
            .k = static_cast<int>(rows_of_update),
            .lda = rows_of_update,
            .ldb = row_of_dgates,
            .ldc = row_of_gates(),
            .stride_b = rows_of_update * row_of_dgates};
  }
};

struct RnnBackwardData {
  RnnForwardData forward;
  const float *weights_of_x, *weights_of_state, *weights_of_reset;
  const float* dstates;            // y's gradients, as forward's states
  const float *dhT, *dcT;          // as dh and dc
  float* dgates;                   // [Db][T][N][columns][bd] and a line
  float *dh, *dreset;              // [Db][N][bd]
  float* shares;                   // [shares][Db][N][bd], or null
  float* dc;                       // [Kb][N][bk], of an LSTM
  PrivateCopies<float> gradients;  // those of columns as they say, then the bias', [Db][columns][bd]
  const float* ones;               // rows_of_update, or null where the bias' brick reads none
};

// All calls of a block of features' product for some rows of gates, or of a share of these: `to(block)` += it, or = for
// beta = 0, which is for one call. All blocks pass over some of the gates after each other, which stay in L2, and their
// weights are asked for a call ahead: 3 % of an LSTM of 1024 features (Zen 5).
template <class Team, class Brick, class To>
BRICKWORK_HOST_DEVICE void multiply_gradients(const Team& team, const Brick& brick, const RnnBackwardGeometry& g,
                                              const RnnGradientColumns& of, const float* dgates, const float* weights,
                                              const LoopRange& blocks, const LoopRange& share, std::int64_t row,
                                              std::int64_t rows, int beta, const To& to, void* scratch) {
  const std::int64_t stride_a = g.rows() * g.row_of_dgates, stride_b = of.count * g.bd * of.block;
  constexpr std::int64_t bytes = sizeof(float);
  for (std::int64_t db = share.begin; db < share.end; db += of.together) {
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
      const bool last = block + 1 == blocks.end;
      const auto weights_at = [&](std::int64_t of_block, std::int64_t at) {
        return weights + (of_block * g.Db + at % g.Db) * stride_b;
      };
      BrgemmCall call;
      call.batch = Batch::strided(dgates + g.dgates_at(db, row) + of.first * g.bd, weights_at(block, db),
                                  clamp(of.together, 0, share.end - db), bytes * stride_a, bytes * stride_b);
      call.c = to(block);
      call.rows = static_cast<int>(rows);
      call.next_a = last && db + of.together < g.Db ? of.together * stride_a : 0;
      call.read_next = {last ? weights_at(blocks.begin, db + of.together) : weights_at(block + 1, db),
                        of.together * bytes * stride_b};
      brick(team, beta, call, scratch);
    }
  }
}

// The way back by itself, over turns: the first is the last step.
template <class Brick, class Rows>
struct RnnBackwardBody {
  RnnBackwardGeometry g;
  RnnBackwardData data;
  Brick state_brick, reset_brick;
  Rows rows;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const RnnTurn& turn, void* scratch) const {
    const std::int64_t N = g.forward.N, bn = g.bn, step = g.forward.T - 1 - turn.step;
    std::int64_t next;
    for (std::int64_t i = turn.tasks.begin; i < turn.tasks.end; i = next) {
      next = clamp((i / g.Db + 1) * g.Db, 0, turn.tasks.end);
      const LoopRange blocks{i % g.Db, i % g.Db + next - i};
      const std::int64_t n = (turn.blocks.begin + i / g.Db) * bn, count = clamp(bn, 0, N - n);
      const auto add = [&](float* to) { multiply(team, turn.step, turn.half, blocks, {0, g.Db}, n, 1, to, scratch); };
      if (turn.half == RnnHalf::first) {
        if (turn.step == 0)
          begin(team, blocks, n, count);
        else
          add(data.dh);
      } else if (step >= 0) {
        for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
          reset_brick.fill_zeros(team, data.dreset + g.dh_at(b * g.bd, n), count, g.bd, g.bd, CAccess::cached);
        }
        team.barrier();  // threads of a team go on with what others of it have written
        add(data.dreset);
      }
      team.barrier();  // as above
      if (step >= 0) {
        for_each_kb(blocks,
                    [&](std::int64_t kb) { rows(team, g.forward.cell, turn.half, rows_at(step, kb, n, g.bn)); });
      }
      team.barrier();
    }
  }

  // The same in tasks of their own: of each half so many for the shares of its product, then as many for the cell as
  // RnnForwardBody has.
  std::int64_t tasks_of_shares(std::int64_t step, RnnHalf half) const {
    const bool has_product = half == RnnHalf::first ? step > 0 : step < g.forward.T;
    return has_product ? g.turns().tasks() * g.shares : 0;
  }
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_share(const Team& team, std::int64_t step, RnnHalf half, std::int64_t i,
                                            void* scratch) const {
    const std::int64_t share = i % g.shares, task = i / g.shares, block = task % g.Db;
    multiply(team, step, half, {block, block + 1}, {g.Db * share / g.shares, g.Db * (share + 1) / g.shares},
             task / g.Db * g.bn, 0, data.shares + share * size_of_share(), scratch);
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void finish(const Team& team, std::int64_t turn, RnnHalf half, std::int64_t task) const {
    const RnnForwardGeometry& f = g.forward;
    const std::int64_t step = f.T - 1 - turn, kb = task % f.Kb, count = rows_of_finish(f.bk), n = task / f.Kb * count;
    const std::int64_t elements = clamp(count, 0, f.N - n) * f.bk, feature = kb * f.bk;
    for (std::int64_t i = team.rank(); i < elements; i += team.size()) {
      const std::int64_t at = g.dh_at(feature, n + i / f.bk) + i % f.bk;
      if (half == RnnHalf::second) {
        if (step >= 0) data.dreset[at] = sum_of_shares(at);
      } else if (turn == 0) {
        data.dh[at] = data.dhT[at];
        if (data.dc != nullptr) data.dc[(kb * f.N + n) * f.bk + i] = data.dcT[(kb * f.N + n) * f.bk + i];
      } else {
        data.dh[at] += sum_of_shares(at);
      }
    }
    team.barrier();  // threads of a team go on with what others of it have written
    if (step >= 0) rows(team, f.cell, half, rows_at(step, kb, n, count));
  }

  std::int64_t scratch_bytes() const { return std::max(state_brick.scratch_bytes(), reset_brick.scratch_bytes()); }

 private:
  BRICKWORK_HOST_DEVICE std::int64_t size_of_share() const { return g.Db * g.forward.N * g.bd; }

  // A half's product for these blocks of sequences from n on.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply(const Team& team, std::int64_t turn, RnnHalf half, const LoopRange& blocks,
                                      const LoopRange& share, std::int64_t n, int beta, float* to,
                                      void* scratch) const {
    const bool first = half == RnnHalf::first;
    const std::int64_t N = g.forward.N, step = g.forward.T - 1 - turn + (first ? 1 : 0);
    multiply_gradients(
        team, first ? state_brick : reset_brick, g, first ? g.of_state : g.of_reset, data.dgates,
        first ? data.weights_of_state : data.weights_of_reset, blocks, share, time_of(step) * N + n,
        clamp(g.bn, 0, N - n), beta, [&](std::int64_t block) { return to + g.dh_at(block * g.bd, n); }, scratch);
  }

  BRICKWORK_HOST_DEVICE float sum_of_shares(std::int64_t at) const {
    float sum = 0;
    for (std::int64_t share = 0; share < g.shares; ++share) sum += data.shares[share * size_of_share() + at];
    return sum;
  }

  BRICKWORK_HOST_DEVICE std::int64_t time_of(std::int64_t step) const {
    return g.forward.reversed ? g.forward.T - 1 - step : step;
  }
  template <class On>
  BRICKWORK_HOST_DEVICE void for_each_kb(const LoopRange& blocks, const On& on) const {
    const std::int64_t kbs = g.bd / g.forward.bk;
    for (std::int64_t kb = blocks.begin * kbs; kb < clamp(blocks.end * kbs, 0, g.forward.Kb); ++kb) on(kb);
  }

  // With the gradients of the last state.
  template <class Team>
  BRICKWORK_HOST_DEVICE void begin(const Team& team, const LoopRange& blocks, std::int64_t n,
                                   std::int64_t count) const {
    const auto copy = [&](const float* from, float* to, std::int64_t at, std::int64_t size) {
      for (std::int64_t i = team.rank(); i < size; i += team.size()) to[at + i] = from[at + i];
    };
    for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
      copy(data.dhT, data.dh, g.dh_at(b * g.bd, n), count * g.bd);
    }
    if (data.dc == nullptr) return;
    const std::int64_t bk = g.forward.bk;
    for_each_kb(blocks, [&](std::int64_t kb) { copy(data.dcT, data.dc, (kb * g.forward.N + n) * bk, count * bk); });
  }

  BRICKWORK_HOST_DEVICE RnnBackwardRows rows_at(std::int64_t step, std::int64_t kb, std::int64_t n,
                                                std::int64_t count) const {
    const RnnForwardGeometry& f = g.forward;
    const std::int64_t t = time_of(step), feature = kb * f.bk, slot = f.y.slot_size();
    const std::int64_t h = f.y.at(0, feature, 0, n), dh = g.dh_at(feature, n);
    const bool has_c = data.dc != nullptr;
    return {.rows = clamp(count, 0, f.N - n),
            .bk = f.bk,
            .gates = data.forward.gates + f.gates_at(kb, t * f.N + n),
            .dgates = data.dgates + g.dgates_at(feature / g.bd, t * f.N + n) + feature % g.bd,
            .row_of_dgates = g.row_of_dgates,
            .column_of_dgates = g.bd,
            .h_before = data.forward.states + f.slot_before(t) * slot + h,
            .h_after = data.forward.states + (1 + t) * slot + h,
            .dy = data.dstates + (1 + t) * slot + h,
            .ldh = f.y.block,
            .dh = data.dh + dh,
            .dreset = f.resets() ? data.dreset + dh : nullptr,
            .lddh = g.bd,
            .c_before = has_c ? data.forward.c + f.c_at(kb, step, n) : nullptr,
            .c_after = has_c ? data.forward.c + f.c_at(kb, step + 1, n) : nullptr,
            .dc = has_c ? data.dc + (kb * f.N + n) * f.bk : nullptr,
            .lengths = data.forward.lengths == nullptr ? nullptr : data.forward.lengths + n,
            .step = static_cast<std::int32_t>(t)};
  }
};

// x's gradients, of some rows of all steps and of a share of the blocks of features: where there are few groups of
// rows, tasks share the blocks.
template <class Brick>
struct RnnGradientOfXBody {
  RnnBackwardGeometry g;
  RnnBackwardData data;
  Brick brick;
  float* dx;  // from its first step on
  bool accumulate;
  std::int64_t shares;

  std::int64_t tasks() const { return ceil_div(g.rows(), g.rows_of_dx) * shares; }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    const RnnSteps& x = g.of_x.rows;
    const std::int64_t part = g.of_x.block, parts = x.block / part, blocks = g.of_x.blocks();
    const std::int64_t row = task / shares * g.rows_of_dx, count = clamp(g.rows_of_dx, 0, g.rows() - row);
    const LoopRange of_share{blocks * (task % shares) / shares, blocks * (task % shares + 1) / shares};
    const auto to = [&](std::int64_t block) {
      return dx + block / parts * x.block_size() + row * x.block + block % parts * part;
    };
    for (std::int64_t b = of_share.begin; b < of_share.end && !accumulate; ++b) {
      brick.fill_zeros(team, to(b), count, part, x.block, CAccess::cached);
    }
    team.barrier();
    multiply_gradients(team, brick, g, g.of_x, data.dgates, data.weights_of_x, of_share, {0, g.Db}, row, count, 1, to,
                       scratch);
  }
};

// The weights' gradients: a task's, of a block of features and of one of gates, stay in L2 while all steps add to them,
// or all steps of a part. The sum over ones has one row only, and may have a brick of its own.
template <class Brick, class BiasBrick = Brick>
struct RnnUpdateBody {
  RnnBackwardGeometry g;
  RnnBackwardData data;
  Brick of_x, of_state, of_reset;
  BiasBrick of_bias;

  BRICKWORK_HOST_DEVICE std::int64_t tasks_of_block() const {
    return g.of_x.rows.blocks() + g.of_state.rows.blocks() + blocks_of_reset() + 1;
  }
  std::int64_t tasks() const { return g.parts_of_update * g.Db * tasks_of_block(); }
  std::int64_t scratch_bytes() const {
    return std::max(
        {of_x.scratch_bytes(), of_state.scratch_bytes(), of_reset.scratch_bytes(), of_bias.scratch_bytes()});
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    const std::int64_t db = task / tasks_of_block() % g.Db, part = task / tasks_of_block() / g.Db;
    const LoopRange rows{g.rows() * part / g.parts_of_update, g.rows() * (part + 1) / g.parts_of_update};
    float* const gradients = data.gradients.of(part);
    std::int64_t block = task % tasks_of_block();
    const auto update = [&](const Brick& brick, const RnnGradientColumns& of, const float* features) {
      add_products(team, brick, of, db, rows, features + block * of.rows.block_size(),
                   gradients + of.gradient + (db * of.rows.blocks() + block) * of.rows.block * of.count * g.bd,
                   scratch);
    };
    if (block < g.of_x.rows.blocks()) return update(of_x, g.of_x, data.forward.x);
    block -= g.of_x.rows.blocks();
    const float* const before = data.forward.states + g.forward.slot_before(0) * g.forward.y.slot_size();
    if (block < g.of_state.rows.blocks()) return update(of_state, g.of_state, before);
    block -= g.of_state.rows.blocks();
    if (block < blocks_of_reset()) return update(of_reset, g.of_reset, data.forward.reset);
    BrgemmCall call;
    constexpr std::int64_t bytes = sizeof(float);
    call.batch =
        Batch::strided(data.ones, data.dgates + g.dgates_at(db, rows.begin), (rows.end - rows.begin) / g.rows_of_update,
                       0, bytes * g.rows_of_update * g.row_of_dgates);
    call.c = gradients + g.gradient_of_bias + db * g.row_of_gates();
    of_bias(team, 0, call, scratch);
  }

 private:
  BRICKWORK_HOST_DEVICE std::int64_t blocks_of_reset() const {
    return g.forward.resets() ? g.of_reset.rows.blocks() : 0;
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void add_products(const Team& team, const Brick& brick, const RnnGradientColumns& of,
                                          std::int64_t db, const LoopRange& rows, const float* features,
                                          float* gradient, void* scratch) const {
    const std::int64_t block = of.rows.block, of_call = g.updates * g.rows_of_update;
    constexpr std::int64_t bytes = sizeof(float);
    for (std::int64_t row = rows.begin; row < rows.end; row += of_call) {
      BrgemmCall call;
      call.batch = Batch::strided(features + row * block, data.dgates + g.dgates_at(db, row) + of.first * g.bd,
                                  clamp(g.updates, 0, (rows.end - row) / g.rows_of_update),
                                  bytes * g.rows_of_update * block, bytes * g.rows_of_update * g.row_of_dgates);
      call.c = gradient;
      call.next_a = of_call * block;
      brick(team, row == rows.begin ? 0 : 1, call, scratch);
    }
  }
};

}  // namespace brickwork
