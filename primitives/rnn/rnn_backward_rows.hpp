// What a recurrent cell does at one step backward, with the vectors of the machine it runs on: of the gradients of the
// state behind the step those of its gates' sums, and what of them reaches the state before past the gates.
#pragma once
#include <cstdint>

#include "rnn_problem.hpp"

namespace brickwork {

// Rows of one block of features at one step, as RnnRows.
struct RnnBackwardRows {
  std::int64_t rows = 0, bk = 0;
  const float* gates = nullptr;  // [rows][columns][bk]: their curves
  float* dgates = nullptr;       // the gradients of their sums, in rows and columns so far apart
  std::int64_t row_of_dgates = 0, column_of_dgates = 0;
  const float* h_before = nullptr;
  const float* h_after = nullptr;
  const float* dy = nullptr;
  std::int64_t ldh = 0;  // of the three
  // Of the state behind the step, but for dy; then of the state before it what does not come through the sums.
  float* dh = nullptr;
  const float* dreset = nullptr;  // of what a GRU reset
  std::int64_t lddh = 0;          // of both
  const float* c_before = nullptr;
  const float* c_after = nullptr;
  float* dc = nullptr;  // as dh, [rows][bk] as those above
  const std::int32_t* lengths = nullptr;
  std::int32_t step = 0;
};

// Of a GRU without what goes through its reset, for which come finish_rnn_backward_rows.
void rnn_backward_rows(RnnCell, const RnnBackwardRows&);
void finish_rnn_backward_rows(RnnCell, const RnnBackwardRows&);

}  // namespace brickwork
