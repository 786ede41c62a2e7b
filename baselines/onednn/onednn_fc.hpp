// oneDNN's three passes of an inner product, in given layouts or in those that it chooses itself (format any).
#pragma once
#include "baselines/onednn/onednn_primitive.hpp"
#include "primitives/fc/op/fc_problem.hpp"

namespace brickwork::onednn {

struct FcTensors {
  explicit FcTensors(const FcProblem& p)
      : src(any_layout({p.N, p.C})), weights(any_layout({p.K, p.C})), dst(any_layout({p.N, p.K})) {}
  // For features that are the channels and pixels of images: the weights are kernels of the images' size.
  FcTensors(const FcProblem& p, std::int64_t C, std::int64_t H, std::int64_t W)
      : src(any_layout({p.N, C, H, W})), weights(any_layout({p.K, C, H, W})), dst(any_layout({p.N, p.K})) {}

  dnnl::memory::desc src, weights, dst;
};

dnnl::inner_product_forward::primitive_desc fc_forward_of(const Context&, const FcTensors&, dnnl::prop_kind,
                                                          const dnnl::memory::desc& bias,
                                                          const dnnl::primitive_attr& attributes);
dnnl::inner_product_backward_data::primitive_desc fc_backward_data_of(const Context&, const FcTensors&);
dnnl::inner_product_backward_weights::primitive_desc fc_weight_update_of(const Context&, const FcTensors&,
                                                                         const dnnl::memory::desc& bias);

}  // namespace brickwork::onednn
