// The adding problem (Hochreiter and Schmidhuber 1997, in the form of Le, Jaitly and Hinton, arXiv 1504.00941): two
// numbers of a random sequence are marked, and the network outputs their sum after the last step. It has to keep the
// marked numbers over all steps between.
#pragma once
#include <cstdint>
#include <vector>

#include "experiments/learning/learning_task.hpp"
#include "experiments/learning/random.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

struct AddingSequences {
  std::vector<float> x;     // [T][N][2]: a number from 0 to 1, and 1 if it is marked, otherwise 0
  std::vector<float> sums;  // [N]
};

// Marks one of the first T / 2 steps and one of the others, each with equal probability. T must be at least 2.
AddingSequences make_adding(std::int64_t T, std::int64_t N, Random&);

// Returns the mean of (outputs - sums)^2 and writes its gradient to doutputs [N].
double squared_error(const float* outputs, const std::vector<float>& sums, float* doutputs);

// Sequences of 50 steps: new ones in every epoch, and the same test sequences in every run. The baseline always answers
// 1, the best constant answer: its error is the variance of the sum, 1/6.
LearningTask learn_adding(RnnCell);

}  // namespace brickwork
