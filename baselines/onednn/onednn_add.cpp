// oneDNN's binary addition, and its ReLU's derivative by the result of forward.
#include "baselines/add_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_primitive.hpp"

namespace brickwork {
namespace onednn {
namespace {

PreparedPtr prepare_add(const AddProblem& p, const PlainTensors& in) {
  const Context context;
  const auto tensor = plain({p.elements()});
  dnnl::primitive_attr attributes = user_scratchpad();
  if (p.relu) {
    dnnl::post_ops post_ops;
    post_ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attributes.set_post_ops(post_ops);
  }
  const dnnl::binary::primitive_desc desc(context.engine, dnnl::algorithm::binary_add, tensor, tensor, tensor,
                                          attributes);
  const std::vector<Operand> sources{{DNNL_ARG_SRC_0, "a", tensor}, {DNNL_ARG_SRC_1, "b", tensor}};
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::binary(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DST, "dst", tensor}});
}

PreparedPtr prepare_relu_backward(const AddProblem& p, const PlainTensors& in) {
  const Context context;
  const auto tensor = plain({p.elements()});
  constexpr auto kRelu = dnnl::algorithm::eltwise_relu_use_dst_for_bwd;
  const dnnl::eltwise_forward::primitive_desc forward(context.engine, dnnl::prop_kind::forward_training, kRelu, tensor,
                                                      tensor, 0.0f, 0.0f);
  const dnnl::eltwise_backward::primitive_desc desc(context.engine, kRelu, tensor, tensor, tensor, 0.0f, 0.0f, forward,
                                                    user_scratchpad());
  const std::vector<Operand> sources{{DNNL_ARG_DST, "dst", tensor}, {DNNL_ARG_DIFF_DST, "ddst", tensor}};
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::eltwise_backward(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DIFF_SRC, "dsrc", tensor}});
}

}  // namespace
}  // namespace onednn

Contender<AddForwardOp> onednn_add() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const AddProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return onednn::prepare_add(p, in);
          }};
}

Contender<AddBackwardOp> onednn_add_backward() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const AddProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return onednn::prepare_relu_backward(p, in);
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::AddForwardOp> brickwork::onednn_add() {
  return absent_library<AddForwardOp>("onednn", "oneDNN");
}
brickwork::Contender<brickwork::AddBackwardOp> brickwork::onednn_add_backward() {
  return absent_library<AddBackwardOp>("onednn", "oneDNN");
}

#endif
