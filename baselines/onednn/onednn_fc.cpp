// oneDNN's inner product in the layouts that it chooses itself (format any).
#include "baselines/fc_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_fc.hpp"

namespace brickwork {
namespace onednn {

dnnl::inner_product_forward::primitive_desc fc_forward_of(const Context& context, const FcTensors& t,
                                                          dnnl::prop_kind kind, const dnnl::memory::desc& bias,
                                                          const dnnl::primitive_attr& attributes) {
  return {context.engine, kind, t.src, t.weights, bias, t.dst, attributes};
}

dnnl::inner_product_backward_data::primitive_desc fc_backward_data_of(const Context& context, const FcTensors& t) {
  return {
      context.engine,   t.src, t.weights, t.dst, fc_forward_of(context, t, dnnl::prop_kind::forward_training, {}, {}),
      user_scratchpad()};
}

dnnl::inner_product_backward_weights::primitive_desc fc_weight_update_of(const Context& context, const FcTensors& t,
                                                                         const dnnl::memory::desc& bias) {
  return {context.engine,
          t.src,
          t.weights,
          bias,
          t.dst,
          fc_forward_of(context, t, dnnl::prop_kind::forward_training, bias, {}),
          user_scratchpad()};
}

namespace {

PreparedPtr prepare_fc_forward(const FcProblem& p, const PlainTensors& in) {
  const Context context;
  const FcTensors t(p);
  const auto bias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const auto desc =
      fc_forward_of(context, t, dnnl::prop_kind::forward_inference, bias, fused(p.epilogue, t.dst.get_dims()));
  std::vector<Operand> sources = fused_sources(p.epilogue, bias, desc.dst_desc());
  sources.push_back({DNNL_ARG_SRC, "src", desc.src_desc()});
  sources.push_back({DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::inner_product_forward(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DST, "dst", desc.dst_desc()}});
}

PreparedPtr prepare_fc_backward_data(const FcProblem& p, const PlainTensors& in) {
  const Context context;
  const auto desc = fc_backward_data_of(context, FcTensors(p));
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::inner_product_backward_data(desc), in,
                                             std::vector<Operand>{{DNNL_ARG_DIFF_DST, "ddst", desc.diff_dst_desc()},
                                                                  {DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()}},
                                             std::vector<Operand>{{DNNL_ARG_DIFF_SRC, "dsrc", desc.diff_src_desc()}});
}

PreparedPtr prepare_fc_weight_update(const FcProblem& p, const PlainTensors& in) {
  const Context context;
  const auto dbias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const auto desc = fc_weight_update_of(context, FcTensors(p), dbias);
  std::vector<Operand> results{{DNNL_ARG_DIFF_WEIGHTS, "dweights", desc.diff_weights_desc()}};
  if (p.epilogue.bias) results.push_back({DNNL_ARG_DIFF_BIAS, "dbias", dbias});
  return std::make_unique<PreparedPrimitive>(
      context, desc, dnnl::inner_product_backward_weights(desc), in,
      std::vector<Operand>{{DNNL_ARG_SRC, "src", desc.src_desc()}, {DNNL_ARG_DIFF_DST, "ddst", desc.diff_dst_desc()}},
      results);
}

template <Operation Op>
Contender<Op> fc_contender(PreparedPtr (*prepare)(const FcProblem&, const PlainTensors&)) {
  return {.name = "onednn",
          .library = {"oneDNN", version()},
          .prepare = [prepare](const FcProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            if (std::is_same_v<Op, FcBackwardDataOp> && p.epilogue.any()) {
              return Result<PreparedPtr>::unsupported(
                  "oneDNN fuses nothing into its inner product backward by data: the epilogue must be none");
            }
            return prepare(p, in);
          }};
}

}  // namespace
}  // namespace onednn

Contender<FcForwardOp> onednn_fc_forward() { return onednn::fc_contender<FcForwardOp>(onednn::prepare_fc_forward); }
Contender<FcBackwardDataOp> onednn_fc_backward_data() {
  return onednn::fc_contender<FcBackwardDataOp>(onednn::prepare_fc_backward_data);
}
Contender<FcWeightUpdateOp> onednn_fc_weight_update() {
  return onednn::fc_contender<FcWeightUpdateOp>(onednn::prepare_fc_weight_update);
}

}  // namespace brickwork

#else

namespace brickwork {
Contender<FcForwardOp> onednn_fc_forward() { return absent_library<FcForwardOp>("onednn", "oneDNN"); }
Contender<FcBackwardDataOp> onednn_fc_backward_data() { return absent_library<FcBackwardDataOp>("onednn", "oneDNN"); }
Contender<FcWeightUpdateOp> onednn_fc_weight_update() { return absent_library<FcWeightUpdateOp>("onednn", "oneDNN"); }
}  // namespace brickwork

#endif
