// What oneDNN's three passes of a convolution share: the tensors' sizes, and how its windows lie. Direct algorithms
// only: Winograd does fewer operations than are counted.
#pragma once
#include "conv_problem.hpp"
#include "onednn_primitive.hpp"

namespace brickwork::onednn {

struct ConvSizes {
  explicit ConvSizes(const ConvProblem& p)
      : src{p.N, p.C, p.H, p.W},
        weights{p.K, p.C, p.R, p.S},
        dst{p.N, p.K, p.P(), p.Q()},
        strides{p.stride_h, p.stride_w},
        padding{p.pad_h, p.pad_w} {}

  dnnl::memory::dims src, weights, dst, strides, padding;
};

// The forward pass that a backward one belongs to: oneDNN asks for it.
dnnl::convolution_forward::primitive_desc conv_forward_of(const Context&, const ConvSizes&,
                                                          const dnnl::memory::desc& bias = {});

}  // namespace brickwork::onednn
