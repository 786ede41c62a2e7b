// Convolution forward, and fully connected layers as convolutions of one pixel, by the best code that TVM's
// MetaSchedule finds. The tensors are blocked and src's padding is stored.
#pragma once
#include "baselines/contender/contender.hpp"
#include "baselines/tvm/tuned_code.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/fc/op/fc_ops.hpp"

namespace brickwork::metaschedule {

// ConvForwardOp and FcForwardOp. Preparing a problem tunes it, unless its code is kept. All problems of a process must
// have the same number of threads: TVM makes its threads once.
template <Operation Op>
Contender<Op> forward(Tuning);

}  // namespace brickwork::metaschedule
