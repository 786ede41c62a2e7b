// What attention's forward pass touches, as data. A task (blocked_attention.hpp) has a sequence and a block of bt
// decoder steps. It runs two nests, with the softmax between them:
//
//   scores    weights[n][t][s] += queries[n][t][k] * keys[n][s][k]
//   context   context[n][t][k]  = sum over s of weights[n][t][s] * values[n][s][k]
//
// Loops are nb (sequences), tb (blocks of decoder steps) and kb (tiles of tk features). One call has one tile of
// features and all encoder steps; a call of `context` may be two of the brick (attention_sums.hpp). Features count to
// the end of their last block. What a task gathers in its scratch is not declared. Without training, a thread keeps the
// weights of all its tasks in the same memory, those of one task after the other's.
#pragma once
#include "primitives/attention/attention_plan.hpp"
#include "primitives/nest/touches.hpp"

namespace brickwork {

struct AttentionTouches {
  NestTouches scores, context;
};

// For encoder sequences of equal lengths.
AttentionTouches attention_touches(const AttentionProblem&, const AttentionPlan&);

}  // namespace brickwork
