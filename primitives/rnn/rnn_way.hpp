// One layer of a recurrent network, one way through time: the loops around the brick.
//
// At a step the gates of a block of features are the brick's sums of x's blocks and of the state's with the weights of
// all of their columns side by side; the cell makes the new state of them while they are in the cache. All steps are
// one parallel region: a thread has the same blocks of features at every step, whose weights stay with it, and waits
// for the others' share of the state at its end.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440), Algorithm
// 2, which has a brick for each gate and for x and h apart.
#pragma once
#include <cstdint>

#include "aligned_buffer.hpp"
#include "brgemm.hpp"
#include "rnn/rnn_plan.hpp"
#include "rnn/rnn_rows.hpp"
#include "rnn/rnn_steps.hpp"

namespace brickwork {

enum class RnnUse { inference, training };

class RnnWay {
 public:
  // x: what it reads, its first step in slot `first`. y: what it writes into, one of its parts, of T + 2 slots: the
  // state before the first step stands in the slot before it, which for the way back is the last.
  struct Shape {
    RnnCell cell = RnnCell::lstm;
    bool reversed = false;
    std::int64_t T = 0;
    RnnSteps x, y;
    std::int64_t first = 0;
    std::int64_t part = 0;
  };

  static Result<RnnWay> make(const Shape&, const RnnPlan&, RnnUse, Backend, Isa, const SimdTuning&);

  // Of one way: weights_layer [C_l][G][K], weights_iter [K][G][K], bias [biases][K].
  void set_weights(const float* layer, const float* iter, const float* bias);
  void set_c(const float* c0);  // [N][K], of an LSTM
  void get_c(float* cT) const;
  // Where the state before the first step and behind the last one stands in y.
  std::int64_t slot_before() const { return shape_.reversed ? shape_.T + 1 : 0; }
  std::int64_t slot_behind() const { return shape_.reversed ? 1 : shape_.T; }

  void run(const float* x, float* y, const std::int32_t* lengths);

  // What training has kept: each step's gates, [Kb][T][N][columns][bk], and states.
  const Shape& shape() const { return shape_; }
  const RnnPlan& plan() const { return plan_; }
  std::span<const GateColumn> columns() const { return columns_; }
  std::int64_t Kb() const { return Kb_; }
  std::int64_t row_of_gates() const { return static_cast<std::int64_t>(columns_.size()) * plan_.bk; }
  const float* gates_at(std::int64_t kb, std::int64_t row) const {
    return gates_.data() + (kb * gate_rows_ + row) * row_of_gates();
  }
  const float* c_at(std::int64_t kb, std::int64_t slot) const {
    return c_.data() + (kb * c_slots_ + slot) * shape_.y.N * plan_.bk;
  }
  const RnnSteps& reset_steps() const { return reset_steps_; }
  const float* reset() const { return reset_.data(); }

  std::string_view isa() const { return state_brick_->isa(); }

 private:
  // Columns that are multiplied by the same A, so many in a call, and their weights in [blocks of K][calls][blocks of
  // A][block][columns of a call * bk].
  struct Columns {
    std::int64_t first = 0, count = 0, of_call = 1, weights_of_a_call = 0;
    AlignedBuffer<float> weights;

    std::int64_t calls() const { return count / of_call; }
    float* weights_of(std::int64_t kb, std::int64_t call) {
      return weights.data() + (kb * calls() + call) * weights_of_a_call;
    }
    const float* weights_of(std::int64_t kb, std::int64_t call) const {
      return weights.data() + (kb * calls() + call) * weights_of_a_call;
    }
    std::int64_t bytes_of_a_call() const { return weights_of_a_call * static_cast<std::int64_t>(sizeof(float)); }
  };
  // The range of steps whose gates are in memory at once.
  struct Chunk {
    std::int64_t begin, end;
  };

  RnnWay(const Shape&, const RnnPlan&, RnnUse);

  BrgemmShape brick_shape(const Columns&, std::int64_t rows, const RnnSteps& a, int beta) const;
  template <class GateOf>
  void pack(Columns&, const RnnSteps& a, const float* weights, const GateOf&);
  Chunk chunk_of(std::int64_t step) const;
  float* gates_at(std::int64_t kb, std::int64_t row) {
    return gates_.data() + (kb * gate_rows_ + row) * row_of_gates();
  }
  float* c_at(std::int64_t kb, std::int64_t slot) { return c_.data() + (kb * c_slots_ + slot) * shape_.y.N * plan_.bk; }
  // Whether sums need no place but a tile that each thread has: they are finished in the same task.
  bool in_tile() const { return plan_.steps == 1 && of_reset_.count == 0; }
  // Everything at one place in time, which the threads' shares of it have in common.
  struct Moment {
    std::int64_t t, gate_row, c_before, c_after;
    Chunk chunk;
    bool new_chunk;
    const float* before;
    float *after, *reset;
    const std::int32_t* lengths;
  };
  Moment moment(std::int64_t step, float* states, const std::int32_t* lengths);
  RnnRows rows_at(const Moment&, std::int64_t kb, std::int64_t n, float* tile);
  // A thread's last block of K asks for the next step's rows of x: 1 to 3 % of an LSTM of 256 features (Zen 5).
  void gates_and_state(const float* x, const Moment&, std::int64_t kb, std::int64_t n, bool last, const RnnRows&);
  // What is read behind the calls for some columns: A so far on, or 0, and these columns' weights of block kb.
  struct Next {
    std::int64_t a;
    const Columns& columns;
    std::int64_t kb;
  };
  void multiply(const BrgemmKernel&, const Columns&, const float* a, std::int64_t kb, float* c, std::int64_t rows,
                const float* bias, const Next&) const;
  void add_x(const float* x, std::int64_t kb, std::int64_t row, std::int64_t rows, std::int64_t next,
             float* gates) const;
  void add_state(const BrgemmKernel&, const Columns&, const float* state, std::int64_t kb, std::int64_t n,
                 const RnnRows&) const;

  Shape shape_;
  RnnPlan plan_;
  RnnUse use_;
  std::span<const GateColumn> columns_;
  std::int64_t Kb_, gate_rows_, c_slots_;
  Columns of_x_, of_state_, of_reset_;
  BrgemmKernelPtr x_brick_, state_brick_, reset_brick_;
  std::int64_t x_rows_;
  AlignedBuffer<float> bias_;   // [Kb][columns][bk]
  AlignedBuffer<float> gates_;  // [Kb][steps, all of them in training][N][columns][bk]
  AlignedBuffer<float> tiles_;  // of each thread
  AlignedBuffer<float> c_;      // [Kb][before and behind a step, or each of them][N][bk]
  RnnSteps reset_steps_;        // r h at one step, or at each in training
  AlignedBuffer<float> reset_;
};

}  // namespace brickwork
