// Recursive models by the C++ functions that PyTorch's operators call in eager mode, without the time of Python's
// interpreter.
#pragma once
#include "baselines/contender/contender.hpp"
#include "primitives/recursive/op/recursive_ops.hpp"

namespace brickwork::pytorch {

enum class RecursiveWay {
  recursion,  // as people write it: a node calls itself for its children, then computes its own states
  levels,     // the nodes of a level together, as DGL does
};

// Tensors are those of the operations, all in f32 or all in f64. The linearizer of `levels` is part of a run.
Result<PreparedPtr> prepare_recursive(const RecursiveProblem&, RecursiveWay, bool training, const PlainTensors& inputs,
                                      const Resources&);

// RecursiveInferenceOp and RecursiveTrainingOp.
template <Operation Op>
Contender<Op> recursion();  // "pytorch"
template <Operation Op>
Contender<Op> recursive_levels();  // "pytorch-levels"

}  // namespace brickwork::pytorch
