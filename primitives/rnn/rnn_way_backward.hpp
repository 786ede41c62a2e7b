// Back through time: one layer of a recurrent network, one way, out of what its forward pass has kept.
//
// What is sequential is the state's gradient: at a step, that of a block of features is the brick's sum over all gates'
// gradients of the step behind it with the weights of the recurrence; of it and of y's the cell makes those of its own
// gates. Then all steps at once are left: x's gradients, products of all gates' with the weights, and the weights',
// products of x and of the states with the gates'.
//
// Source: Georganas et al., "High-Performance Deep Learning via a Single Building Block" (arXiv 1906.06440), whose
// backward pass has a step's products inside the loop over time.
#pragma once
#include "rnn/rnn_backward_rows.hpp"
#include "rnn/rnn_way.hpp"

namespace brickwork {

class RnnWayBackward {
 public:
  static Result<RnnWayBackward> make(const RnnWay&, Backend, Isa, const SimdTuning&);

  // The plain tensors of one way, as RnnWay's.
  void set_weights(const float* layer, const float* iter);
  void set_states(const float* dhT, const float* dcT);
  void get_states(float* dh0, float* dc0) const;
  void get_gradients(float* layer, float* iter, float* bias) const;

  // x, y and lengths as forward had them, dy as y. The gradients of the gates are what run_data leaves to the others.
  void run_data(const RnnWay&, const float* y, const float* dy, const std::int32_t* lengths);
  void run_x(float* dx, bool accumulate) const;
  void run_update(const RnnWay&, const float* x, const float* y);

 private:
  // Columns of the gates whose gradients meet the same weights: those [blocks][blocks of bd][columns * bd][block].
  struct Columns {
    std::int64_t first = 0, count = 0;
    RnnSteps rows;                                  // features that they were sums of
    std::int64_t block = 0;                         // of those features, in a task's product
    std::int64_t together = 0;                      // blocks of bd that a call of the product sums over
    AlignedBuffer<float> weights;                   // transposed
    AlignedBuffer<float> gradient;                  // [blocks of bd][rows.blocks()][rows.block][columns * bd]
    BrgemmKernelPtr product, first_update, update;  // product adds to what is there
  };

  explicit RnnWayBackward(const RnnWay&);

  Columns columns_of(const RnnSteps& rows, std::int64_t block, bool (*has)(const GateColumn&)) const;
  template <class GateOf>
  void pack(Columns&, const float* weights, const GateOf&) const;
  template <class GateOf>
  void unpack(const Columns&, float* gradient, const GateOf&) const;
  struct Blocks {
    std::int64_t begin, end;
  };
  // to(block) += the columns of these rows of gates, times the weights of a block of features. All blocks pass over
  // some of the gates after each other, which stay in L2, and their weights are asked for a call ahead: 3 % of an LSTM
  // of 1024 features (Zen 5).
  template <class To>
  void multiply(const Columns&, Blocks, std::int64_t row, std::int64_t rows, const To& to) const;
  void update(Columns&, std::int64_t db, std::int64_t block, const float* rows) const;
  RnnBackwardRows rows_at(const RnnWay&, std::int64_t step, const float* states, const float* dstates,
                          const std::int32_t* lengths, std::int64_t kb, std::int64_t n);
  float* dh_at(std::int64_t feature, std::int64_t n, AlignedBuffer<float>& dh) const;
  const float* dgates_at(std::int64_t block, std::int64_t row) const {
    return dgates_.data() + (block * shape_.T * shape_.y.N + row) * row_of_dgates_;
  }
  std::int64_t time_of(std::int64_t step) const { return shape_.reversed ? shape_.T - 1 - step : step; }
  // Of slots of y: that before the first step's state.
  std::int64_t slot_before_first() const { return shape_.reversed ? 2 : 0; }

  RnnWay::Shape shape_;
  RnnPlan plan_;
  std::span<const GateColumn> gates_;
  std::int64_t Kb_, bd_, Db_;  // bd_: features of a task, a multiple of bk that divides bh, in Db_ blocks
  std::int64_t row_of_gates_, row_of_dgates_;
  Columns of_x_, of_state_, of_reset_;
  BrgemmKernelPtr bias_brick_;
  AlignedBuffer<float>
      dgates_;  // [Db][T][N][columns][bd] and a line: long runs in memory, which the hardware prefetches
  AlignedBuffer<float> dhT_, dh_, dreset_;  // [blocks of bd][N][bd]
  AlignedBuffer<float> dcT_, dc_;           // [Kb][N][bk]
  AlignedBuffer<float> dbias_;              // [Db][columns][bd]
  AlignedBuffer<float> ones_;               // N
};

}  // namespace brickwork
