// One step of a recurrent cell, row by row (rnn_cells-inl.h), with the vectors of this machine. Forward takes the sums
// of the gates, backward the gradients of the state.
#pragma once
#include <cstdint>
#include <span>

#include "kernels/base/host_device.hpp"
#include "primitives/rnn/op/rnn_cell.hpp"

namespace brickwork {

// A row holds the columns of gates side by side, each bk features wide. A column is a sum of products with the weights
// of the gates `layer` and `iter` of the plain tensors; -1: no such product. x adds to the first columns, h to a run of
// them, and a GRU's reset state to the last.
struct GateColumn {
  int layer, iter, bias;
  bool of_reset = false;  // `iter` weights are multiplied by r h instead of h
};
std::span<const GateColumn> gate_columns(RnnCell);

// A GRU's step has two halves: the second one multiplies the state that the first has reset.
enum class RnnHalf { first, second };

// The rows of one block of features at one step; a row is a sequence.
struct RnnRows {
  std::int64_t rows = 0, bk = 0;  // bk is a multiple of 16
  float* gates = nullptr;         // [rows][columns][bk]: the sums
  float* kept = nullptr;  // gets the activated gates: gates itself, or memory that is written past the caches; or null
  const float* h_before = nullptr;
  float* h_after = nullptr;
  float* reset = nullptr;           // GRU only: r h, laid out as h
  std::int64_t ldh = 0;             // of h_before, h_after and reset
  const float* c_before = nullptr;  // [rows][bk], LSTM only
  float* c_after = nullptr;
  const std::int32_t* lengths = nullptr;  // or null; the state of a sequence that has ended stays
  std::int32_t step = 0;

  BRICKWORK_HOST_DEVICE bool ended(std::int64_t n) const { return lengths != nullptr && step >= lengths[n]; }
};

// Computes the state after the step; in the first half of a GRU's step, the reset state.
void rnn_rows(RnnCell, RnnHalf, const RnnRows&);

// Backward: from the gradients of the state after the step, the cell computes those of its gates' sums, and the part of
// the gradient of the state before that does not pass through the gates.
struct RnnBackwardRows {
  std::int64_t rows = 0, bk = 0;
  const float* gates = nullptr;  // [rows][columns][bk]: activated
  float* dgates = nullptr;       // gradients of the gates' sums: columns of bd in rows of row_of_dgates
  std::int64_t row_of_dgates = 0, bd = 0;
  const float* h_before = nullptr;
  const float* h_after = nullptr;
  const float* dy = nullptr;
  std::int64_t ldh = 0;  // of h_before, h_after and dy
  // In rows of bd: the gradient of the state after the step without dy and the product; null in a GRU's second half.
  const float* dh_behind = nullptr;
  float* dh = nullptr;  // of the state before the step: the part that does not pass through the sums
  // The gates' gradients times the recurrence's weights (in a GRU's second half: the gradient of the reset state), in
  // `shares` shares to add up.
  const float* products = nullptr;
  int shares = 0;
  std::int64_t size_of_share = 0;
  const float* c_before = nullptr;
  const float* c_after = nullptr;
  const float* dc_behind = nullptr;  // as dh_behind, but [rows][bk]
  float* dc = nullptr;
  const std::int32_t* lengths = nullptr;
  std::int32_t step = 0;  // -1: all steps are done; dh becomes the gradient of the first state

  BRICKWORK_HOST_DEVICE bool ended(std::int64_t n) const {
    return step < 0 || (lengths != nullptr && step >= lengths[n]);
  }
};

// The first half of a GRU leaves out what passes through its reset.
void rnn_rows(RnnCell, RnnHalf, const RnnBackwardRows&);

}  // namespace brickwork
