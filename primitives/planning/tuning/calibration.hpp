// Finds the simd brick's tuning on the machine at hand, by timing what it may do differently.
//
// One word after the other: how far ahead B is asked for, how A comes to all lanes, and whether a call of few rows asks
// for B, each on bricks; then in which tiles recurrent layers pass over their weights, what a convolution's planner
// chooses by it, in what parts recurrent layers sum up, and how sweeps go over memory, each on layers. The candidates
// of a word run interleaved, and a candidate is judged by the geometric mean of its medians: of bricks on blocks whose
// B lies in L1 and whose B streams from L2, or from L3 through a single row, with dense rows of A and with rows far
// apart. Differences below the noise go to the default, so that two calibrations agree.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/planning/tuning/best_tuning.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

struct CalibrationBlock {
  int m, vecs;  // rows; columns in vectors
  std::int64_t batch;
  std::int64_t spacing;  // of A's rows, in rows: 4 as in a convolution that jumps over pixels
};

// The choice, whoever measures, from what is known before; a register tile is at most `widest` vectors wide.
SimdTuning choose_tuning(const SimdTuning& untuned, int widest, const Measure<CalibrationBlock>&);

// How the choices below are measured: with bricks of this ISA, in so many rounds at most.
struct CalibrationRaces {
  Isa isa;
  int most_rounds;
};

// Likewise the tiles that pass over a far B, where registers are few, on recurrent layers forward.
SimdTuning choose_tiles(const SimdTuning&, const Measure<RnnProblem>& inference);
SimdTuning choose_tiles(const SimdTuning&, CalibrationRaces);

// The words of a planner likewise, on layers for which its plans of a pass differ by them; the second measures them on
// all threads.
SimdTuning choose_planning(const SimdTuning&, const Measure<ConvProblem>& forward,
                           const Measure<ConvProblem>& backward_data, const Measure<ConvProblem>& update);
SimdTuning choose_planning(const SimdTuning&, CalibrationRaces);

// Likewise how a brick of many rows sums up, on recurrent layers in training.
SimdTuning choose_sums(const SimdTuning&, const Measure<RnnProblem>& training);
SimdTuning choose_sums(const SimdTuning&, CalibrationRaces);

// How sweeps go over memory likewise, on some that find their tensors there, with all threads.
enum class Swept { pooling, softmax, norm };
SimdTuning choose_sweep(const SimdTuning&, const Measure<Swept>&);
SimdTuning choose_sweep(const SimdTuning&, CalibrationRaces);

// The machine's, in two or three seconds. The isa must be one of simd's here.
SimdTuning calibrate(const SimdTuning& untuned, Isa, int most_rounds = kRoundsOfARace);

}  // namespace brickwork
