// The adding problem (Hochreiter and Schmidhuber 1997, in the form of Le, Jaitly and Hinton, arXiv 1504.00941): of a
// sequence of random numbers two are marked, and their sum is asked for behind the last of them. What was marked must
// be kept over all steps between.
#pragma once
#include <cstdint>
#include <vector>

#include "experiments/learning/learning_task.hpp"
#include "experiments/learning/random.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {

struct AddingSequences {
  std::vector<float> x;     // [T][N][2]: a number from 0 to 1, and 1 where it is marked, else 0
  std::vector<float> sums;  // [N]
};

// One of the first T / 2 steps is marked, and one of the others, each as likely. T is 2 or more.
AddingSequences make_adding(std::int64_t T, std::int64_t N, Random&);

// The mean square of outputs - sums, and its gradient.
double squared_error(const float* outputs, const std::vector<float>& sums, float* doutputs);

// Sequences of 50 steps, new ones in every epoch; those of the test are the same in every run. Its baseline always
// answers 1, which is best if one does not look: its error is the sum's variance, 1/6.
LearningTask learn_adding(RnnCell);

}  // namespace brickwork
