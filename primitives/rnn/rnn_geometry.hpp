// The geometry of a recurrent layer in one direction: what its loops multiply, where it lies, and how it is cut.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/nest/loop_nest.hpp"
#include "primitives/nest/private_copies.hpp"
#include "primitives/rnn/host/rnn_rows.hpp"
#include "primitives/rnn/rnn_steps.hpp"

namespace brickwork {

// The operands of a step's gates, which are sums of products with weights: x, the state before the step, and the part
// of it that a GRU has reset. The bias counts as the weights of ones, for its gradient only.
enum RnnOperand { kRnnX, kRnnState, kRnnReset, kRnnOnes };
constexpr int kRnnOperands = 3;  // operands with weights
constexpr int kRnnGradients = 4;

// x is what the layer reads; its first step is in slot `first`. The layer writes part `part` of y, which has T + 2
// slots: step t is in slot 1 + t, and the state before the first step in slot 0, or in slot T + 1 if reversed.
struct RnnLayerShape {
  RnnCell cell = RnnCell::lstm;
  bool reversed = false;
  std::int64_t T = 0;
  RnnSteps x, y;
  std::int64_t first = 0;
  std::int64_t part = 0;
};

// How the target cuts the work.
struct RnnSizes {
  bool apart;                               // as in RnnForwardGeometry
  std::int64_t threads;                     // that share tasks of one kind
  std::int64_t rows_of_x;                   // forward: rows of a call with x, at most
  std::int64_t bn;                          // backward: sequences of a task
  std::int64_t shares;                      // shares of a step's product, at most
  std::int64_t bytes_of_weights;            // of a call of a product, at most
  std::int64_t rows_of_dx, rows_of_update;  // of a call, at most; rows are T * N
  std::int64_t tasks_of_dx;                 // at least, if there are as many
  std::int64_t tasks_of_update;             // that run at a time; fewer tasks may be cut into parts
};

// Whether one sum may take several calls of the brick. A device's bricks leave no registers for another loop.
template <class Brick>
constexpr bool kSumsInParts = requires {
  Brick::kReadsNext;
};

// The columns of gates that an operand's product adds to. They are next to each other; `calls` calls of the brick, each
// n wide, compute them. Layout of their weights: [blocks of K][calls][blocks of A][block][n].
struct RnnColumns {
  RnnSteps a;  // the operand's features; for the state those of one direction
  std::int64_t first = 0, count = 0, calls = 0, n = 0, weights_of_a_call = 0;
  std::int64_t together = 0;  // blocks of A that one call sums over

  BRICKWORK_HOST_DEVICE std::int64_t weights_at(std::int64_t kb, std::int64_t call) const {
    return (kb * calls + call) * weights_of_a_call;
  }
};

struct RnnForwardGeometry {
  RnnCell cell;
  bool reversed, training;
  std::int64_t direction;  // which part of the plain weights and of y
  bool apart;              // products and what the cell computes from them are separate tasks, as on a device
  std::int64_t T, N, Kb;
  std::int64_t bk, bn, steps;      // from the plan
  RnnColumns of[kRnnGradients];    // the reset state is kept for one step or, in training, for all
  RnnSteps c;                      // LSTM: before and after a step or, in training, for all steps
  std::int64_t columns;            // of gates, in all
  std::int64_t gate_rows, x_rows;  // of a block of K; of a call with x

  BRICKWORK_HOST_DEVICE bool resets() const { return of[kRnnReset].count > 0; }
  BRICKWORK_HOST_DEVICE int halves() const { return resets() ? 2 : 1; }
  // Whether a task finishes its sums itself, so that they only need a tile per thread.
  BRICKWORK_HOST_DEVICE bool in_tile() const { return !apart && steps == 1 && !resets(); }
  // Whether a chunk's product with x is in its gates before the chunk's first step.
  BRICKWORK_HOST_DEVICE bool x_apart() const { return apart || steps > 1; }
  BRICKWORK_HOST_DEVICE std::int64_t row_of_gates() const { return columns * bk; }
  BRICKWORK_HOST_DEVICE std::int64_t gates_at(std::int64_t kb, std::int64_t row) const {
    return (kb * gate_rows + row) * row_of_gates();
  }
  BRICKWORK_HOST_DEVICE std::int64_t Nb() const { return ceil_div(N, bn); }

  // `step` counts in the order of computation; t is the place in time.
  BRICKWORK_HOST_DEVICE std::int64_t time_of(std::int64_t step) const { return reversed ? T - 1 - step : step; }
  // The slot of the state before t; the state after t is in slot 1 + t.
  BRICKWORK_HOST_DEVICE std::int64_t slot_before(std::int64_t t) const { return reversed ? t + 2 : t; }
  // The steps that have their gates in memory together with t.
  BRICKWORK_HOST_DEVICE LoopRange chunk_of(std::int64_t t) const {
    return {t - t % steps, clamp(t - t % steps + steps, 0, T)};
  }
  BRICKWORK_HOST_DEVICE bool begins_chunk(std::int64_t t) const {
    return x_apart() && t == (reversed ? chunk_of(t).end - 1 : chunk_of(t).begin);
  }
  BRICKWORK_HOST_DEVICE std::int64_t gate_row(std::int64_t t) const { return (training ? t : t % steps) * N; }

  // The shape of an operand's calls: x overwrites the gates, the others add to them.
  BrgemmShape brick(int operand) const;
};

struct RnnForwardData {
  const float* x = nullptr;  // from its first step on
  const float* weights[kRnnOperands] = {};
  const float* bias = nullptr;  // [Kb][columns][bk]
  float* states = nullptr;      // as y of RnnLayerShape
  float* gates = nullptr;       // [Kb][steps, in training all][N][columns][bk]; or null
  float* tiles = nullptr;       // [bn][columns][bk] for each thread; or null
  float *c = nullptr, *reset = nullptr;
  const std::int32_t* lengths = nullptr;  // or null

  // An operand's rows at time t, from sequence n on.
  BRICKWORK_HOST_DEVICE const float* rows(const RnnForwardGeometry& g, int operand, std::int64_t t,
                                          std::int64_t n) const {
    const RnnSteps& a = g.of[operand].a;
    const float* const from = operand == kRnnX ? x : operand == kRnnState ? states : reset;
    const std::int64_t slot = operand == kRnnState ? g.slot_before(t) : clamp(t, 0, a.slots - 1);
    return from + slot * a.slot_size() + n * a.block;
  }
};

// An operand in the backward passes. Its transposed weights are [blocks][Db][columns * bd][block], and their gradient
// is [Db][a.blocks()][a.block][columns * bd].
struct RnnGradientColumns {
  std::int64_t block = 0, blocks = 0;  // features of the operand in one block of a product, and such blocks
  std::int64_t together = 0;           // blocks of bd that one pass over all blocks of features sums over
  std::int64_t k = 0;                  // gates that one call sums over: a block's, or an equal part of them
  std::int64_t gradient = 0;           // offset of its gradient
  std::int64_t size = 0;               // elements of the weights
};

struct RnnBackwardGeometry {
  RnnForwardGeometry forward;
  std::int64_t bn;      // sequences of a task
  std::int64_t shares;  // of a step's product, if it has tasks of its own
  std::int64_t bd, Db;  // features of a task: a multiple of bk that divides a block of the state; Db blocks
  RnnGradientColumns of[kRnnGradients];
  RnnSteps dh, dc;                        // for one step
  std::int64_t row_of_dgates;             // elements from row to row; the gates come first in a row
  std::int64_t rows_of_dx, shares_of_dx;  // rows of a call; shares of the blocks of features, if row groups are few
  std::int64_t rows_of_update, updates;   // rows of a member of a call's batch; members of a call, at most
  std::int64_t parts_of_update;           // equal parts of all rows, each with its own copy of the gradients
  std::int64_t size_of_gradients;

  BRICKWORK_HOST_DEVICE std::int64_t rows() const { return forward.T * forward.N; }
  BRICKWORK_HOST_DEVICE std::int64_t Nb() const { return ceil_div(forward.N, bn); }
  BRICKWORK_HOST_DEVICE std::int64_t dgates_at(std::int64_t block, std::int64_t row) const {
    return (block * rows() + row) * row_of_dgates;
  }
  // A turn is a step of the backward pass: turn 0 is the last step, turn T gives the gradient of the first state.
  BRICKWORK_HOST_DEVICE bool has_product(std::int64_t turn, RnnHalf half) const {
    return half == RnnHalf::first ? turn > 0 : turn < forward.T;
  }
  std::int64_t tasks_of_dx() const { return ceil_div(rows(), rows_of_dx) * shares_of_dx; }

  // The shapes of the products with an operand's weights, and of the gradient of these weights.
  BrgemmShape product(int operand) const;
  BrgemmShape update(int operand) const;
};

struct RnnBackwardData {
  RnnForwardData forward;
  const float* weights[kRnnOperands] = {};
  const float* dstates = nullptr;              // gradients of y, laid out as forward's states
  const float *dhT = nullptr, *dcT = nullptr;  // laid out as dh and dc
  float *dh = nullptr, *dc = nullptr;          // dc: LSTM only
  float* products = nullptr;                   // one per share, laid out as dh
  float* dgates = nullptr;  // [Db][T][N][row_of_dgates]: the gates [columns][bd] and a cache line of padding
  float* dx = nullptr;      // from its first step on
  bool adds_to_dx = false;
  PrivateCopies<float> gradients;  // each operand's at its `gradient`
  const float* ones = nullptr;     // as many as rows()
};

struct RnnPlan;
RnnForwardGeometry rnn_forward_geometry(const RnnLayerShape&, const RnnPlan&, bool training, const RnnSizes&);
RnnBackwardGeometry rnn_backward_geometry(const RnnForwardGeometry&, const RnnSizes&);

// The work of one host thread at each step. A task is one pair of a block of sequences (of range Nb) and a block of
// features (of range Kb). Task numbers count sequences first (forward) or features first (backward).
struct RnnShare {
  std::int64_t thread;
  LoopRange Kb, Nb, tasks;
};

// Sequences of one task of a GPU, if a step has `tasks` tasks for each block of sequences: many if then almost every
// multiprocessor still has a task.
constexpr std::int64_t kManySequencesOnGpu = 96, kFewSequencesOnGpu = 32;
inline std::int64_t sequences_of_gpu_task(std::int64_t N, std::int64_t tasks, std::int64_t multiprocessors) {
  const bool many = 8 * tasks * ceil_div(N, kManySequencesOnGpu) >= 7 * multiprocessors;
  return equal_block(N, many ? kManySequencesOnGpu : kFewSequencesOnGpu);
}

// One brick for each operand that is multiplied by weights: kRnnX, kRnnState, kRnnReset.
template <class Brick>
struct RnnBricks {
  Brick of[kRnnOperands];

  std::int64_t scratch_bytes() const {
    return std::max({of[kRnnX].scratch_bytes(), of[kRnnState].scratch_bytes(), of[kRnnReset].scratch_bytes()});
  }
};

}  // namespace brickwork
