// oneDNN's convolution in the layouts that it chooses itself (format any).
#include "conv_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "onednn_conv.hpp"

namespace brickwork {
namespace onednn {
namespace {

dnnl::convolution_forward::primitive_desc describe_forward(const Context& context, dnnl::prop_kind kind,
                                                           const ConvSizes& sizes, const dnnl::memory::desc& bias,
                                                           const dnnl::primitive_attr& attributes) {
  return {context.engine,
          kind,
          dnnl::algorithm::convolution_direct,
          any_layout(sizes.src),
          any_layout(sizes.weights),
          bias,
          any_layout(sizes.dst),
          sizes.strides,
          sizes.padding,
          sizes.padding,
          attributes};
}

PreparedPtr prepare_conv_forward(const ConvProblem& p, const PlainTensors& in) {
  const Context context;
  const ConvSizes sizes(p);
  const auto bias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const auto desc =
      describe_forward(context, dnnl::prop_kind::forward_inference, sizes, bias, fused(p.epilogue, sizes.dst));
  std::vector<Operand> sources = fused_sources(p.epilogue, bias, desc.dst_desc());
  sources.push_back({DNNL_ARG_SRC, "src", desc.src_desc()});
  sources.push_back({DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::convolution_forward(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DST, "dst", desc.dst_desc()}});
}

}  // namespace

dnnl::convolution_forward::primitive_desc conv_forward_of(const Context& context, const ConvSizes& sizes,
                                                          const dnnl::memory::desc& bias) {
  return describe_forward(context, dnnl::prop_kind::forward_training, sizes, bias, {});
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
