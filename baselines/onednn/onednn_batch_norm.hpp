// oneDNN's batch normalisation in training, with the problem's epilogue.
#pragma once
#include "baselines/onednn/onednn_primitive.hpp"
#include "primitives/batch_norm/op/batch_norm_problem.hpp"

namespace brickwork::onednn {

// For images in this layout; empty if the library has no such primitive.
dnnl::batch_normalization_forward::primitive_desc norm_forward_of(const Context&, const BatchNormProblem&,
                                                                  const dnnl::memory::desc& images);
dnnl::batch_normalization_backward::primitive_desc norm_backward_of(
    const Context&, const BatchNormProblem&, const dnnl::memory::desc& images,
    const dnnl::batch_normalization_forward::primitive_desc& forward);

}  // namespace brickwork::onednn
