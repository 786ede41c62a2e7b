// What a recurrent cell does at one step with the sums of its gates, with the vectors of the machine it runs on.
#pragma once
#include <cstdint>
#include <span>

#include "rnn_problem.hpp"

namespace brickwork {

// In a row of gates they stand side by side, each bk features wide. A column says which gate's weights of the plain
// tensors its sum is made of; -1: none. x reaches the first columns, h those in a run, and what a GRU resets the last.
struct GateColumn {
  int layer, iter, bias;
  bool of_reset = false;  // iter's weights are multiplied by r h instead of h
};
std::span<const GateColumn> gate_columns(RnnCell);

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
};

// The state after the step; of a GRU what it resets, after which come finish_rnn_rows.
void rnn_rows(RnnCell, const RnnRows&);
void finish_rnn_rows(RnnCell, const RnnRows&);

}  // namespace brickwork
