// Learning the value of ListOps expressions: by a child-sum TreeLSTM along the expression's tree, or by an LSTM of as
// many features along its text, both with the same training.
#pragma once
#include "experiments/learning/learning_task.hpp"
#include "experiments/learning/listops_data.hpp"

namespace brickwork {

// New expressions in every epoch. They begin with depth 1 and become deeper, as in Zaremba and Sutskever, "Learning to
// execute", arXiv 1410.4615. The baseline always answers the digit that is the value of most test expressions.
LearningTask learn_listops(ListOpsStructure);

// The depth of the deepest expressions after `done` of all epochs.
int listops_deepest(int done, int epochs);

}  // namespace brickwork
