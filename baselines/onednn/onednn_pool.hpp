// oneDNN's pooling in training.
#pragma once
#include "baselines/onednn/onednn_primitive.hpp"
#include "primitives/pool/op/pool_problem.hpp"

namespace brickwork::onednn {

// For images in this layout; results have it, too.
dnnl::pooling_forward::primitive_desc pool_forward_of(const Context&, const PoolProblem&,
                                                      const dnnl::memory::desc& src);
dnnl::pooling_backward::primitive_desc pool_backward_of(const Context&, const PoolProblem&,
                                                        const dnnl::pooling_forward::primitive_desc& forward);

}  // namespace brickwork::onednn
