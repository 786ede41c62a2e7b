// oneDNN's convolution weight update in the layouts that it chooses itself (format any).
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_conv.hpp"

namespace brickwork {

dnnl::convolution_backward_weights::primitive_desc onednn::conv_weight_update_of(const Context& context,
                                                                                 const ConvTensors& t,
                                                                                 const dnnl::memory::desc& bias) {
  return {context.engine,
          dnnl::algorithm::convolution_direct,
          t.src,
          t.weights,
          bias,
          t.dst,
          t.strides,
          t.padding,
          t.padding,
          conv_forward_of(context, t, bias),
          user_scratchpad()};
}

namespace {

PreparedPtr prepare_onednn_weight_update(const ConvProblem& p, const PlainTensors& in) {
  const onednn::Context context;
  const auto dbias = p.epilogue.bias ? onednn::plain({p.K}) : dnnl::memory::desc();
  const auto desc = onednn::conv_weight_update_of(context, onednn::ConvTensors(p), dbias);
  std::vector<onednn::Operand> results{{DNNL_ARG_DIFF_WEIGHTS, "dweights", desc.diff_weights_desc()}};
  if (p.epilogue.bias) results.push_back({DNNL_ARG_DIFF_BIAS, "dbias", dbias});
  return std::make_unique<onednn::PreparedPrimitive>(
      context, desc, dnnl::convolution_backward_weights(desc), in,
      std::vector<onednn::Operand>{{DNNL_ARG_SRC, "src", desc.src_desc()},
                                   {DNNL_ARG_DIFF_DST, "ddst", desc.diff_dst_desc()}},
      results);
}

}  // namespace

Contender<ConvWeightUpdateOp> onednn_conv_weight_update() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return prepare_onednn_weight_update(p, in);
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvWeightUpdateOp> brickwork::onednn_conv_weight_update() {
  return absent_library<ConvWeightUpdateOp>("onednn", "oneDNN");
}

#endif
