// oneDNN's inner product in the layouts that it chooses itself (format any).
#include "fc_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "onednn_primitive.hpp"

namespace brickwork {
namespace onednn {
namespace {

// Layouts left to the library.
struct FcTensors {
  explicit FcTensors(const FcProblem& p)
      : src(any_layout({p.N, p.C})), weights(any_layout({p.K, p.C})), dst(any_layout({p.N, p.K})) {}

  dnnl::memory::desc src, weights, dst;
};

// The forward pass that a backward one belongs to: oneDNN asks for it.
dnnl::inner_product_forward::primitive_desc fc_forward_of(const Context& context, const FcTensors& t,
                                                          const dnnl::memory::desc& bias = {}) {
  return {context.engine, dnnl::prop_kind::forward_training, t.src, t.weights, bias, t.dst};
}

PreparedPtr prepare_fc_forward(const FcProblem& p, const PlainTensors& in) {
  const Context context;
  const FcTensors t(p);
  const auto bias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const dnnl::inner_product_forward::primitive_desc desc(context.engine, dnnl::prop_kind::forward_inference, t.src,
                                                         t.weights, bias, t.dst, fused(p.epilogue, {p.N, p.K}));
  std::vector<Operand> sources = fused_sources(p.epilogue, bias, desc.dst_desc());
  sources.push_back({DNNL_ARG_SRC, "src", desc.src_desc()});
  sources.push_back({DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::inner_product_forward(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DST, "dst", desc.dst_desc()}});
}

PreparedPtr prepare_fc_backward_data(const FcProblem& p, const PlainTensors& in) {
  const Context context;
  const FcTensors t(p);
  const dnnl::inner_product_backward_data::primitive_desc desc(context.engine, t.src, t.weights, t.dst,
                                                               fc_forward_of(context, t), user_scratchpad());
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::inner_product_backward_data(desc), in,
                                             std::vector<Operand>{{DNNL_ARG_DIFF_DST, "ddst", desc.diff_dst_desc()},
                                                                  {DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()}},
                                             std::vector<Operand>{{DNNL_ARG_DIFF_SRC, "dsrc", desc.diff_src_desc()}});
}

PreparedPtr prepare_fc_weight_update(const FcProblem& p, const PlainTensors& in) {
  const Context context;
  const FcTensors t(p);
  const auto dbias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const dnnl::inner_product_backward_weights::primitive_desc desc(context.engine, t.src, t.weights, dbias, t.dst,
                                                                  fc_forward_of(context, t, dbias), user_scratchpad());
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
