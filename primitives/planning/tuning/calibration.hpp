// Finds the simd brick's tuning (simd_tuning.hpp) for this machine, by timing its alternatives.
//
// The words of the tuning are found one after the other. On single bricks: how far ahead B is prefetched, how A reaches
// all lanes, and whether a call of few rows prefetches B. Then on layers: in which tiles recurrent layers pass over
// their weights, the choices of convolution's planner, in which parts recurrent layers sum, and how sweeps go over
// memory. The candidates of a word run interleaved, and the geometric mean of their medians decides. Bricks run on
// blocks with B in L1, with B streaming from L2, or from L3 for a single row, and with rows of A next to each other or
// far apart. Differences below the noise go to the default, so that two calibrations agree.
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
  std::int64_t spacing;  // distance between rows of A, in rows: 4 is far apart, as in a convolution with a stride
};

// Chooses the words that bricks decide, with a given measurement; `untuned` has what is known before. A register tile
// is at most `widest` vectors wide.
SimdTuning choose_tuning(const SimdTuning& untuned, int widest, const Measure<CalibrationBlock>&);

// How the choices below are measured: with bricks of this ISA, in at most this many rounds.
struct CalibrationRaces {
  Isa isa;
  int most_rounds;
};

// Each choice below takes the tuning found so far and returns it with further words chosen. One overload gets the
// measurement; the other one measures itself, on all threads.

// Chooses the tiles that pass over a far B if registers are few, on recurrent layers forward.
SimdTuning choose_tiles(const SimdTuning&, const Measure<RnnProblem>& inference);
SimdTuning choose_tiles(const SimdTuning&, CalibrationRaces);

// Chooses the words that convolution's planner reads, on layers whose plans differ by them.
SimdTuning choose_planning(const SimdTuning&, const Measure<ConvProblem>& forward,
                           const Measure<ConvProblem>& backward_data, const Measure<ConvProblem>& update);
SimdTuning choose_planning(const SimdTuning&, CalibrationRaces);

// Chooses how bricks with many rows sum, on recurrent layers in training.
SimdTuning choose_sums(const SimdTuning&, const Measure<RnnProblem>& training);
SimdTuning choose_sums(const SimdTuning&, CalibrationRaces);

// Chooses how sweeps go over memory, on operations whose tensors no cache holds.
enum class Swept { pooling, softmax, norm };
SimdTuning choose_sweep(const SimdTuning&, const Measure<Swept>&);
SimdTuning choose_sweep(const SimdTuning&, CalibrationRaces);

// The tuning of this machine; takes two or three seconds. Throws std::invalid_argument if the simd backend does not
// have the ISA here.
SimdTuning calibrate(const SimdTuning& untuned, Isa, int most_rounds = kRoundsOfARace);

}  // namespace brickwork
