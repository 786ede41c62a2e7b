// A recurrent layer in one direction as its loops see it: what they multiply, where it lies, and how it is cut.
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

// A step's gates are sums of these: x, the state before the step and what of that a GRU has reset, each times weights
// of its own; and ones times a bias, which is no product but for its gradient.
enum RnnOperand { kRnnX, kRnnState, kRnnReset, kRnnOnes };
constexpr int kRnnOperands = 3;  // with weights
constexpr int kRnnGradients = 4;

// x: what the layer reads, its first step in slot `first`. y: what it writes into, one of its parts, of T + 2 slots:
// the state before the first step stands in the slot before it, which for the way back is the last.
struct RnnLayerShape {
  RnnCell cell = RnnCell::lstm;
  bool reversed = false;
  std::int64_t T = 0;
  RnnSteps x, y;
  std::int64_t first = 0;
  std::int64_t part = 0;
};

// How work is cut where the layer runs.
struct RnnSizes {
  bool apart;                               // as RnnForwardGeometry's
  std::int64_t threads;                     // that tasks of one kind are dealt to
  std::int64_t rows_of_x;                   // of a call forward, at most
  std::int64_t bn;                          // going back: sequences of a task,
  std::int64_t shares;                      // of a step's product, at most,
  std::int64_t bytes_of_weights;            // of a call of a product, at most,
  std::int64_t rows_of_dx, rows_of_update;  // of a call, sequences of all steps counted through, at most,
  std::int64_t tasks_of_dx;                 // at least, where there are so many,
  std::int64_t tasks_of_update;             // that run at a time where fewer may be cut into parts
};

// Whether a sum may take several calls of the brick: a device's bricks leave no registers for another loop.
template <class Brick>
constexpr bool kSumsInParts = requires {
  Brick::kReadsNext;
};

// The columns of gates that an operand reaches, which stand side by side, so many calls of the brick for them, each n
// wide. Their weights: [blocks of K][calls][blocks of A][block][n].
struct RnnColumns {
  RnnSteps a;  // the operand's features; of the state those of one direction
  std::int64_t first = 0, count = 0, calls = 0, n = 0, weights_of_a_call = 0;
  std::int64_t together = 0;  // blocks of A that the brick sums over at a time

  BRICKWORK_HOST_DEVICE std::int64_t weights_at(std::int64_t kb, std::int64_t call) const {
    return (kb * calls + call) * weights_of_a_call;
  }
};

struct RnnForwardGeometry {
  RnnCell cell;
  bool reversed, training;
  std::int64_t direction;  // its part of the plain weights and of y
  bool apart;              // sums and what a cell makes of them are tasks of their own, as a device has them
  std::int64_t T, N, Kb;
  std::int64_t bk, bn, steps;      // of the plan
  RnnColumns of[kRnnGradients];    // what is reset lies in memory for one step or, in training, for each
  RnnSteps c;                      // of an LSTM, before and behind a step or, in training, each of them
  std::int64_t columns;            // of gates, in all
  std::int64_t gate_rows, x_rows;  // of a block of K; of a call

  BRICKWORK_HOST_DEVICE bool resets() const { return of[kRnnReset].count > 0; }
  BRICKWORK_HOST_DEVICE int halves() const { return resets() ? 2 : 1; }
  // Whether sums need no place but a tile that each thread has: they are finished in the same task.
  BRICKWORK_HOST_DEVICE bool in_tile() const { return !apart && steps == 1 && !resets(); }
  // Whether a chunk's share of x is in its gates before its first step.
  BRICKWORK_HOST_DEVICE bool x_apart() const { return apart || steps > 1; }
  BRICKWORK_HOST_DEVICE std::int64_t row_of_gates() const { return columns * bk; }
  BRICKWORK_HOST_DEVICE std::int64_t gates_at(std::int64_t kb, std::int64_t row) const {
    return (kb * gate_rows + row) * row_of_gates();
  }
  // In blocks of sequences and of features.
  BRICKWORK_HOST_DEVICE std::int64_t Nb() const { return ceil_div(N, bn); }

  // Steps are counted as they come; t is their place in time.
  BRICKWORK_HOST_DEVICE std::int64_t time_of(std::int64_t step) const { return reversed ? T - 1 - step : step; }
  // Of the states: where the one before t stands; the one behind it is in slot 1 + t.
  BRICKWORK_HOST_DEVICE std::int64_t slot_before(std::int64_t t) const { return reversed ? t + 2 : t; }
  // The steps whose gates are in memory at once, with t.
  BRICKWORK_HOST_DEVICE LoopRange chunk_of(std::int64_t t) const {
    return {t - t % steps, clamp(t - t % steps + steps, 0, T)};
  }
  BRICKWORK_HOST_DEVICE bool begins_chunk(std::int64_t t) const {
    return x_apart() && t == (reversed ? chunk_of(t).end - 1 : chunk_of(t).begin);
  }
  BRICKWORK_HOST_DEVICE std::int64_t gate_row(std::int64_t t) const { return (training ? t : t % steps) * N; }

  // Of an operand's calls: x's overwrites, the others add.
  BrgemmShape brick(int operand) const;
};

struct RnnForwardData {
  const float* x = nullptr;  // from its first step on
  const float* weights[kRnnOperands] = {};
  const float* bias = nullptr;  // [Kb][columns][bk]
  float* states = nullptr;      // T + 2 slots: the state before the first step stands in the slot before it
  float* gates = nullptr;       // [Kb][steps, all of them in training][N][columns][bk]; or null
  float* tiles = nullptr;       // of each thread, [bn][columns][bk]; or null
  float *c = nullptr, *reset = nullptr;
  const std::int32_t* lengths = nullptr;  // or null

  // An operand's rows at t, from the n-th sequence on.
  BRICKWORK_HOST_DEVICE const float* rows(const RnnForwardGeometry& g, int operand, std::int64_t t,
                                          std::int64_t n) const {
    const RnnSteps& a = g.of[operand].a;
    const float* const from = operand == kRnnX ? x : operand == kRnnState ? states : reset;
    const std::int64_t slot = operand == kRnnState ? g.slot_before(t) : clamp(t, 0, a.slots - 1);
    return from + slot * a.slot_size() + n * a.block;
  }
};

// An operand's part in the way back: weights [blocks][Db][columns * bd][block], transposed, and their gradient
// [Db][a.blocks()][a.block][columns * bd].
struct RnnGradientColumns {
  std::int64_t block = 0, blocks = 0;  // of the operand's features, in a task's product
  std::int64_t together = 0;           // blocks of bd that the product sums over while all blocks of features pass
  std::int64_t k = 0;                  // gates that the brick sums over at a time: a block's, or equal parts of them
  std::int64_t gradient = 0;           // where it begins, behind those of the others
  std::int64_t size = 0;               // of the weights
};

struct RnnBackwardGeometry {
  RnnForwardGeometry forward;
  std::int64_t bn;      // sequences of a task
  std::int64_t shares;  // of a step's product, where it has tasks of its own
  std::int64_t bd, Db;  // features of a task, a multiple of bk that divides a block of the state's, in Db blocks
  RnnGradientColumns of[kRnnGradients];
  RnnSteps dh, dc;                        // at one step
  std::int64_t row_of_dgates;             // in memory, of which the gates are the first
  std::int64_t rows_of_dx, shares_of_dx;  // of a call; of the blocks of features, where there are few groups of rows
  std::int64_t rows_of_update, updates;   // of each of a call's members, and how many of them
  std::int64_t parts_of_update;           // equal ones of all rows, each with gradients of its own
  std::int64_t size_of_gradients;

  BRICKWORK_HOST_DEVICE std::int64_t rows() const { return forward.T * forward.N; }
  BRICKWORK_HOST_DEVICE std::int64_t Nb() const { return ceil_div(forward.N, bn); }
  BRICKWORK_HOST_DEVICE std::int64_t dgates_at(std::int64_t block, std::int64_t row) const {
    return (block * rows() + row) * row_of_dgates;
  }
  // Turns are counted as they come, from the last step on, and one more for the gradient of the first state.
  BRICKWORK_HOST_DEVICE bool has_product(std::int64_t turn, RnnHalf half) const {
    return half == RnnHalf::first ? turn > 0 : turn < forward.T;
  }
  std::int64_t tasks_of_dx() const { return ceil_div(rows(), rows_of_dx) * shares_of_dx; }

  // Of the products with the operands' weights, and of the gradients of those.
  BrgemmShape product(int operand) const;
  BrgemmShape update(int operand) const;
};

struct RnnBackwardData {
  RnnForwardData forward;
  const float* weights[kRnnOperands] = {};
  const float* dstates = nullptr;              // y's gradients, as forward's states
  const float *dhT = nullptr, *dcT = nullptr;  // as dh and dc
  float *dh = nullptr, *dc = nullptr;          // dc of an LSTM
  float* products = nullptr;                   // each share's, as dh
  float* dgates = nullptr;                     // [Db][T][N][columns][bd] and a line
  float* dx = nullptr;                         // from its first step on
  bool adds_to_dx = false;
  PrivateCopies<float> gradients;  // of the operands as their columns say
  const float* ones = nullptr;     // rows() of them
};

struct RnnPlan;
RnnForwardGeometry rnn_forward_geometry(const RnnLayerShape&, const RnnPlan&, bool training, const RnnSizes&);
RnnBackwardGeometry rnn_backward_geometry(const RnnForwardGeometry&, const RnnSizes&);

// What a thread of the host has of each step: these blocks of features, these of sequences, and of the latter these
// tasks, sequences (forward) or features (back) counted first.
struct RnnShare {
  std::int64_t thread;
  LoopRange Kb, Nb, tasks;
};

// How many sequences a block of a GPU's threads has at a step of so many tasks for each block of sequences: many where
// that leaves hardly a multiprocessor without one.
constexpr std::int64_t kManySequencesOnGpu = 96, kFewSequencesOnGpu = 32;
inline std::int64_t sequences_of_gpu_task(std::int64_t N, std::int64_t tasks, std::int64_t multiprocessors) {
  const bool many = 8 * tasks * ceil_div(N, kManySequencesOnGpu) >= 7 * multiprocessors;
  return equal_block(N, many ? kManySequencesOnGpu : kFewSequencesOnGpu);
}

// One for each operand with weights.
template <class Brick>
struct RnnBricks {
  Brick of[kRnnOperands];

  std::int64_t scratch_bytes() const {
    return std::max({of[kRnnX].scratch_bytes(), of[kRnnState].scratch_bytes(), of[kRnnReset].scratch_bytes()});
  }
};

}  // namespace brickwork
