// oneDNN's three passes of a convolution, in given layouts or in those that it chooses itself (format any). Direct
// algorithms only: Winograd does fewer operations than are counted.
#pragma once
#include "baselines/onednn/onednn_primitive.hpp"
#include "primitives/conv/op/conv_problem.hpp"

namespace brickwork::onednn {

struct ConvTensors {
  explicit ConvTensors(const ConvProblem& p)
      : src(any_layout({p.N, p.C, p.H, p.W})),
        weights(any_layout({p.K, p.C, p.R, p.S})),
        dst(any_layout({p.N, p.K, p.P(), p.Q()})),
        strides{p.stride_h, p.stride_w},
        padding{p.pad_h, p.pad_w} {}

  dnnl::memory::desc src, weights, dst;
  dnnl::memory::dims strides, padding;
};

// Descriptions for training.
dnnl::convolution_forward::primitive_desc conv_forward_of(const Context&, const ConvTensors&,
                                                          const dnnl::memory::desc& bias = {});
dnnl::convolution_backward_data::primitive_desc conv_backward_data_of(const Context&, const ConvTensors&);
dnnl::convolution_backward_weights::primitive_desc conv_weight_update_of(const Context&, const ConvTensors&,
                                                                         const dnnl::memory::desc& bias = {});

}  // namespace brickwork::onednn
