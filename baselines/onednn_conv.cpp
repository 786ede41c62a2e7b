// oneDNN's convolution in the layouts that it chooses itself (format any).
#include "conv_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "onednn_conv.hpp"

namespace brickwork {
namespace onednn {
namespace {

dnnl::convolution_forward::primitive_desc describe_forward(const Context& context, dnnl::prop_kind kind,
                                                           const ConvTensors& t, const dnnl::memory::desc& bias,
                                                           const dnnl::primitive_attr& attributes) {
  return {context.engine, kind,      dnnl::algorithm::convolution_direct,
          t.src,          t.weights, bias,
          t.dst,          t.strides, t.padding,
          t.padding,      attributes};
}

PreparedPtr prepare_conv_forward(const ConvProblem& p, const PlainTensors& in) {
  const Context context;
  const ConvTensors t(p);
  const auto bias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const auto desc =
      describe_forward(context, dnnl::prop_kind::forward_inference, t, bias, fused(p.epilogue, t.dst.get_dims()));
  std::vector<Operand> sources = fused_sources(p.epilogue, bias, desc.dst_desc());
  sources.push_back({DNNL_ARG_SRC, "src", desc.src_desc()});
  sources.push_back({DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::convolution_forward(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DST, "dst", desc.dst_desc()}});
}

}  // namespace

dnnl::convolution_forward::primitive_desc conv_forward_of(const Context& context, const ConvTensors& t,
                                                          const dnnl::memory::desc& bias) {
  return describe_forward(context, dnnl::prop_kind::forward_training, t, bias, user_scratchpad());
}

}  // namespace onednn

Contender<ConvForwardOp> onednn_conv() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return onednn::prepare_conv_forward(p, in);
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::onednn_conv() {
  return absent_library<ConvForwardOp>("onednn", "oneDNN");
}

#endif
