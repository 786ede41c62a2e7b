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
  dnnl::post_ops post_ops;
  // Not the sum post-op: it reads the residual from dst, so that a second run would add the first one's result.
  if (p.epilogue.residual) post_ops.append_binary(dnnl::algorithm::binary_add, any_layout(sizes.dst));
  if (p.epilogue.relu) post_ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes = user_scratchpad();
  attributes.set_post_ops(post_ops);

  const auto bias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const auto desc = describe_forward(context, dnnl::prop_kind::forward_inference, sizes, bias, attributes);
  std::vector<Operand> sources{{DNNL_ARG_SRC, "src", desc.src_desc()},
                               {DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()}};
  if (p.epilogue.bias) sources.push_back({DNNL_ARG_BIAS, "bias", bias});
  if (p.epilogue.residual) {
    sources.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, "residual", desc.dst_desc()});
  }
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::convolution_forward(desc), in, sources,
                                             Operand{DNNL_ARG_DST, "dst", desc.dst_desc()});
}

}  // namespace

dnnl::convolution_forward::primitive_desc conv_forward_of(const Context& context, const ConvSizes& sizes) {
  return describe_forward(context, dnnl::prop_kind::forward_training, sizes, {}, {});
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
