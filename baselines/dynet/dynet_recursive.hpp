// Recursive models by DyNet with autobatching: a graph for each run, built by Python as its users build it.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/recursive/op/recursive_ops.hpp"

namespace brickwork::dynet {

// RecursiveInferenceOp and RecursiveTrainingOp. DyNet computes on one thread, whatever the resources are.
template <Operation Op>
Contender<Op> recursive();

}  // namespace brickwork::dynet
