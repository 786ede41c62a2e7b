// The backward passes of a recurrent layer in one direction, for every space and brick, from the values that forward
// has kept.
//
//   dgates[t]    = cell's gradients of dh[t] + dy[t];  dh[t - 1] += dgates[t] * weights of the state, transposed
//   dx[t]        = dgates[t] * weights of x, transposed
//   dweights     = sum over t of (x[t] or the state before)^T * dgates[t];  dbias = sum over t of ones * dgates[t]
//
// Only the state's gradient is sequential. At a step, the brick multiplies the gates' gradients of the following step
// by the recurrence's weights, which gives dh for a block of features. From dh and dy the cell computes the gradients
// of its own gates. dx and dweights are products over all steps at once.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440). Its
// backward pass has a step's products inside the loop over time.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "kernels/portable/brgemm_portable.hpp"
#include "primitives/rnn/rnn_geometry.hpp"

namespace brickwork {

// The products with the transposed weights. A turn is a step of the backward pass; turn 0 is the last step.
template <class Brick, class Rows>
struct RnnBackwardBody {
  RnnBackwardGeometry g;
  RnnBackwardData data;
  RnnBricks<Brick> bricks;
  Rows rows;

  // Run by each thread of the host; wait() is a barrier where a thread needs the others' results.
  template <class Wait>
  void over_time(const RnnShare& mine, const Wait& wait) const {
    for (std::int64_t turn = 0; turn <= g.forward.T; ++turn) {
      for (int half = 0; half < g.forward.halves(); ++half) {
        over_blocks(mine, turn, static_cast<RnnHalf>(half));
        wait();
      }
    }
  }

  // The product of a half, or a share of it, for these blocks of features and the sequences from n on.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply(const Team& team, std::int64_t turn, RnnHalf half, std::int64_t share,
                                      const LoopRange& blocks, std::int64_t n, void* scratch) const {
    const int operand = half == RnnHalf::first ? kRnnState : kRnnReset;
    const std::int64_t N = g.forward.N, step = g.forward.T - 1 - turn + (half == RnnHalf::first ? 1 : 0);
    multiply_gradients(team, operand, blocks, {g.Db * share / g.shares, g.Db * (share + 1) / g.shares},
                       g.forward.time_of(step) * N + n, clamp(g.bn, 0, N - n), false,
                       data.products + share * g.dh.elements(), g.dh, n, scratch);
  }

  // The product as a task of its own, on a device.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_share(const Team& team, std::int64_t turn, RnnHalf half, std::int64_t task,
                                            void* scratch) const {
    const std::int64_t block = task / g.shares % g.Db, n = task / g.shares / g.Db * g.bn;
    multiply(team, turn, half, task % g.shares, {block, block + 1}, n, scratch);
  }

  // The cell computes the gradients of its gates from the product; in the last turn, the gradient of the first state.
  template <class Team>
  BRICKWORK_HOST_DEVICE void finish(const Team& team, std::int64_t turn, RnnHalf half, std::int64_t kb, std::int64_t n,
                                    std::int64_t count) const {
    const RnnForwardGeometry& f = g.forward;
    const RnnForwardData& kept = data.forward;
    const RnnSteps& y = f.of[kRnnState].a;
    const bool has_c = g.dc.slots > 0, first_half = half == RnnHalf::first, has_product = g.has_product(turn, half);
    const std::int64_t step = clamp(f.T - 1 - turn, 0, f.T - 1), t = f.time_of(step), feature = kb * f.bk;
    const std::int64_t h = y.at(0, feature, 1 + t, n), dh = g.dh.at(0, feature, 0, n), dc = g.dc.at(0, feature, 0, n);
    if (turn == f.T && !first_half) return;
    rows(team, f.cell, half,
         RnnBackwardRows{.rows = clamp(count, 0, f.N - n),
                         .bk = f.bk,
                         .gates = kept.gates + f.gates_at(kb, t * f.N + n),
                         .dgates = data.dgates + g.dgates_at(feature / g.bd, t * f.N + n) + feature % g.bd,
                         .row_of_dgates = g.row_of_dgates,
                         .bd = g.bd,
                         .h_before = kept.states + y.at(0, feature, f.slot_before(t), n),
                         .h_after = kept.states + h,
                         .dy = data.dstates + h,
                         .ldh = y.block,
                         .dh_behind = !first_half ? nullptr : (turn == 0 ? data.dhT : data.dh) + dh,
                         .dh = data.dh + dh,
                         .products = data.products + dh,
                         .shares = has_product ? static_cast<int>(g.shares) : 0,
                         .size_of_share = g.dh.elements(),
                         .c_before = has_c ? kept.c + f.c.at(0, feature, step, n) : nullptr,
                         .c_after = has_c ? kept.c + f.c.at(0, feature, step + 1, n) : nullptr,
                         .dc_behind = has_c ? (turn == 0 ? data.dcT : data.dc) + dc : nullptr,
                         .dc = has_c ? data.dc + dc : nullptr,
                         .lengths = kept.lengths == nullptr ? nullptr : kept.lengths + n,
                         .step = turn == f.T ? -1 : static_cast<std::int32_t>(t)});
  }

  // A task of dx: some rows of all steps, and a share of the blocks of features.
  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    const std::int64_t shares = g.shares_of_dx, share = task % shares, blocks = g.of[kRnnX].blocks;
    const std::int64_t row = task / shares * g.rows_of_dx;
    multiply_gradients(team, kRnnX, {blocks * share / shares, blocks * (share + 1) / shares}, {0, g.Db}, row,
                       clamp(g.rows_of_dx, 0, g.rows() - row), data.adds_to_dx, data.dx, g.forward.of[kRnnX].a, row,
                       scratch);
  }

 private:
  void over_blocks(const RnnShare& mine, std::int64_t turn, RnnHalf half) const {
    const std::int64_t kbs = g.bd / g.forward.bk;
    std::int64_t next;
    for (std::int64_t task = mine.tasks.begin; task < mine.tasks.end; task = next) {
      next = clamp((task / g.Db + 1) * g.Db, 0, mine.tasks.end);
      const LoopRange blocks{task % g.Db, task % g.Db + next - task};
      const std::int64_t n = (mine.Nb.begin + task / g.Db) * g.bn;
      if (g.has_product(turn, half)) multiply(OneThread(), turn, half, 0, blocks, n, nullptr);
      for (std::int64_t kb = blocks.begin * kbs; kb < clamp(blocks.end * kbs, 0, g.forward.Kb); ++kb) {
        finish(OneThread(), turn, half, kb, n, g.bn);
      }
    }
  }

  // The product of some rows of gates, or of a share of the gates, with an operand's blocks of features: c =, or with
  // `adds` c +=. Some of the gates stay in L2 while all blocks of features use them, and each call prefetches the next
  // call's weights: an LSTM of 1024 features takes 3 % less time (Zen 5).
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_gradients(const Team& team, int operand, const LoopRange& blocks,
                                                const LoopRange& share, std::int64_t row, std::int64_t rows_of_call,
                                                bool adds, float* c, const RnnSteps& layout_of_c, std::int64_t row_of_c,
                                                void* scratch) const {
    const RnnColumns& columns = g.forward.of[operand];
    const RnnGradientColumns& of = g.of[operand];
    const std::int64_t stride_a = g.rows() * g.row_of_dgates, stride_b = columns.count * g.bd * of.block;
    const std::int64_t parts = kSumsInParts<Brick> ? columns.count * g.bd / of.k : 1;
    const std::int64_t weights_of_call = of.k * of.block * (parts == 1 ? of.together : 1);
    constexpr std::int64_t bytes = sizeof(float);
    const auto weights_at = [&](std::int64_t of_block, std::int64_t at) {
      return data.weights[operand] + (of_block * g.Db + at % g.Db) * stride_b;
    };
    for (std::int64_t db = share.begin; db < share.end; db += of.together) {
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        const bool last = block + 1 == blocks.end;
        const std::int64_t members = clamp(of.together, 0, share.end - db), calls = parts == 1 ? 1 : members * parts;
        for (std::int64_t i = 0; i < calls; ++i) {
          const float* const gates = data.dgates + g.dgates_at(db + i / parts, row) + columns.first * g.bd;
          const float* const weights = weights_at(block, db) + i * weights_of_call;
          BrgemmCall call;
          call.batch = Batch::strided(gates + i % parts * of.k, weights, parts == 1 ? members : 1, bytes * stride_a,
                                      bytes * stride_b);
          call.c = c + layout_of_c.at(0, block * of.block, 0, row_of_c);
          call.rows = static_cast<int>(rows_of_call);
          call.next_a = last && db + of.together < g.Db ? of.together * stride_a : 0;
          call.read_next = {i + 1 < calls ? weights + weights_of_call
                            : last        ? weights_at(blocks.begin, db + of.together)
                                          : weights_at(block + 1, db),
                            bytes * weights_of_call};
          bricks.of[operand](team, adds || db > share.begin || i > 0 ? 1 : 0, call, scratch);
        }
      }
    }
  }
};

// The weights' gradients. A task's gradients, for a block of features and a block of gates, stay in L2 while all steps
// (or those of a part) add to them. The bias's gradient has one row only and may have a brick of its own.
template <class Brick, class BiasBrick = Brick>
struct RnnUpdateBody {
  RnnBackwardGeometry g;
  RnnBackwardData data;
  RnnBricks<Brick> bricks;
  BiasBrick of_bias;

  std::int64_t tasks() const { return g.parts_of_update * g.Db * tasks_of_block(); }

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    const std::int64_t db = task / tasks_of_block() % g.Db, part = task / tasks_of_block() / g.Db;
    std::int64_t block = task % tasks_of_block();
    for (int operand = 0; operand < kRnnOperands; ++operand) {
      if (block < blocks_of(operand)) return update(team, bricks.of[operand], operand, block, db, part, scratch);
      block -= blocks_of(operand);
    }
    update(team, of_bias, kRnnOnes, 0, db, part, scratch);
  }

 private:
  BRICKWORK_HOST_DEVICE std::int64_t blocks_of(int operand) const { return g.forward.of[operand].a.blocks(); }
  BRICKWORK_HOST_DEVICE std::int64_t tasks_of_block() const {
    return blocks_of(kRnnX) + blocks_of(kRnnState) + blocks_of(kRnnReset) + 1;
  }

  template <class Team, class AnyBrick>
  BRICKWORK_HOST_DEVICE void update(const Team& team, const AnyBrick& brick, int operand, std::int64_t feature_block,
                                    std::int64_t db, std::int64_t part, void* scratch) const {
    const RnnColumns& of = g.forward.of[operand];
    const LoopRange rows{g.rows() * part / g.parts_of_update, g.rows() * (part + 1) / g.parts_of_update};
    const std::int64_t block = of.a.block, of_call = g.updates * g.rows_of_update;
    const float* const features = (operand == kRnnOnes ? data.ones : data.forward.rows(g.forward, operand, 0, 0)) +
                                  feature_block * of.a.block_size();
    constexpr std::int64_t bytes = sizeof(float);
    for (std::int64_t row = rows.begin; row < rows.end; row += of_call) {
      BrgemmCall call;
      call.batch = Batch::strided(features + row * block, data.dgates + g.dgates_at(db, row) + of.first * g.bd,
                                  clamp(g.updates, 0, (rows.end - row) / g.rows_of_update),
                                  bytes * g.rows_of_update * block, bytes * g.rows_of_update * g.row_of_dgates);
      call.c = data.gradients.of(part) + g.of[operand].gradient +
               (db * of.a.blocks() + feature_block) * block * of.count * g.bd;
      brick(team, row == rows.begin ? 0 : 1, call, scratch);
    }
  }
};

}  // namespace brickwork
