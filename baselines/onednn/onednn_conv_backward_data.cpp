// oneDNN's convolution backward by data in the layouts that it chooses itself (format any).
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_conv.hpp"

namespace brickwork {

dnnl::convolution_backward_data::primitive_desc onednn::conv_backward_data_of(const Context& context,
                                                                              const ConvTensors& t) {
  return {context.engine,
          dnnl::algorithm::convolution_direct,
          t.src,
          t.weights,
          t.dst,
          t.strides,
          t.padding,
          t.padding,
          conv_forward_of(context, t),
          user_scratchpad()};
}

namespace {

PreparedPtr prepare_onednn_backward_data(const ConvProblem& p, const PlainTensors& in) {
  const onednn::Context context;
  const auto desc = onednn::conv_backward_data_of(context, onednn::ConvTensors(p));
  return std::make_unique<onednn::PreparedPrimitive>(
      context, desc, dnnl::convolution_backward_data(desc), in,
      std::vector<onednn::Operand>{{DNNL_ARG_DIFF_DST, "ddst", desc.diff_dst_desc()},
                                   {DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()}},
      std::vector<onednn::Operand>{{DNNL_ARG_DIFF_SRC, "dsrc", desc.diff_src_desc()}});
}

}  // namespace

Contender<ConvBackwardDataOp> onednn_conv_backward_data() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            if (p.epilogue.any())
              return Result<PreparedPtr>::unsupported(
                  "oneDNN fuses nothing into its convolution backward by data: the epilogue must be none");
            return prepare_onednn_backward_data(p, in);
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvBackwardDataOp> brickwork::onednn_conv_backward_data() {
  return absent_library<ConvBackwardDataOp>("onednn", "oneDNN");
}

#endif
