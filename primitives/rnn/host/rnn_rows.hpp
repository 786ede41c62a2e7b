// What a recurrent cell does at one step, forward with the sums of its gates and backward with the gradients of its
// state (rnn_cells-inl.h), row by row: here with the vectors of the machine it runs on.
#pragma once
#include <cstdint>
#include <span>

#include "kernels/base/host_device.hpp"
#include "primitives/rnn/op/rnn_cell.hpp"

namespace brickwork {

// In a row of gates they stand side by side, each bk features wide. A column says which gate's weights of the plain
// tensors its sum is made of; -1: none. x reaches the first columns, h those in a run, and what a GRU resets the last.
struct GateColumn {
  int layer, iter, bias;
  bool of_reset = false;  // iter's weights are multiplied by r h instead of h
};
std::span<const GateColumn> gate_columns(RnnCell);

// A GRU's step has two: what it resets is multiplied in the second.
enum class RnnHalf { first, second };

// Rows of one block of features at one step: a sequence each.
struct RnnRows {
  std::int64_t rows = 0, bk = 0;  // bk is a multiple of 16
  float* gates = nullptr;         // [rows][columns][bk]: their sums
  float* kept = nullptr;          // where their curves are kept, gates itself or past the caches; or null
  const float* h_before = nullptr;
  float* h_after = nullptr;
  float* reset = nullptr;           // r h of a GRU, as h
  std::int64_t ldh = 0;             // of the three
  const float* c_before = nullptr;  // [rows][bk], of an LSTM
  float* c_after = nullptr;
  const std::int32_t* lengths = nullptr;  // of the sequences, or null: those that have ended stay as they are
  std::int32_t step = 0;

  BRICKWORK_HOST_DEVICE bool ended(std::int64_t n) const { return lengths != nullptr && step >= lengths[n]; }
};

// The state after the step; in the first half of a GRU's what it resets.
void rnn_rows(RnnCell, RnnHalf, const RnnRows&);

// The same backward: of the gradients of the state behind the step those of its gates' sums, and what of them reaches
// the state before past the gates.
struct RnnBackwardRows {
  std::int64_t rows = 0, bk = 0;
  const float* gates = nullptr;  // [rows][columns][bk]: their curves
  float* dgates = nullptr;       // the gradients of their sums, in columns of bd and rows so far apart
  std::int64_t row_of_dgates = 0, bd = 0;
  const float* h_before = nullptr;
  const float* h_after = nullptr;
  const float* dy = nullptr;
  std::int64_t ldh = 0;  // of the three
  // In rows of bd: of the state behind the step, but for dy and the product; null in a GRU's second half.
  const float* dh_behind = nullptr;
  float* dh = nullptr;  // of the state before it, what does not come through the sums
  // Gradients of sums times the state's weights, or in a GRU's second half of what it reset, in so many shares.
  const float* products = nullptr;
  int shares = 0;
  std::int64_t size_of_share = 0;
  const float* c_before = nullptr;
  const float* c_after = nullptr;
  const float* dc_behind = nullptr;  // as dh_behind, [rows][bk] as those above
  float* dc = nullptr;
  const std::int32_t* lengths = nullptr;
  std::int32_t step = 0;  // -1: all steps are done, and the state's gradient is the first one's

  BRICKWORK_HOST_DEVICE bool ended(std::int64_t n) const {
    return step < 0 || (lengths != nullptr && step >= lengths[n]);
  }
};

// In a GRU's first half without what goes through its reset.
void rnn_rows(RnnCell, RnnHalf, const RnnBackwardRows&);

}  // namespace brickwork
