// oneDNN's convolution in the layouts that it chooses itself (format any). Its direct algorithms only: Winograd
// does fewer operations than are counted.
#include "conv_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "onednn_tensor.hpp"

namespace brickwork {
namespace {

using dnnl::memory;
using onednn::Context;
using Desc = dnnl::convolution_forward::primitive_desc;

memory::dims src_dims(const ConvProblem& p) { return {p.N, p.C, p.H, p.W}; }
memory::dims weights_dims(const ConvProblem& p) { return {p.K, p.C, p.R, p.S}; }
memory::dims dst_dims(const ConvProblem& p) { return {p.N, p.K, p.P(), p.Q()}; }

memory::desc f32(const memory::dims& dims, memory::format_tag tag) { return {dims, memory::data_type::f32, tag}; }

Desc describe(const ConvProblem& p, const Context& context) {
  using Tag = memory::format_tag;
  dnnl::post_ops post_ops;
  // Not the sum post-op: it reads the residual from dst, so that a second run would add the first one's result.
  if (p.epilogue.residual) post_ops.append_binary(dnnl::algorithm::binary_add, f32(dst_dims(p), Tag::any));
  if (p.epilogue.relu) post_ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post_ops);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);

  const memory::desc bias = p.epilogue.bias ? f32({p.K}, Tag::a) : memory::desc();
  return Desc(context.engine, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
              f32(src_dims(p), Tag::any), f32(weights_dims(p), Tag::any), bias, f32(dst_dims(p), Tag::any),
              {p.stride_h, p.stride_w}, {p.pad_h, p.pad_w}, {p.pad_h, p.pad_w}, attributes);
}

class PreparedOnednnConv final : public Prepared {
 public:
  PreparedOnednnConv(const ConvProblem& p, const PlainTensors& in)
      : desc_(describe(p, context_)),
        primitive_(desc_),
        plain_dst_desc_(f32(dst_dims(p), memory::format_tag::nchw)),
        src_(context_, in.at<float>("src"), f32(src_dims(p), memory::format_tag::nchw), desc_.src_desc()),
        weights_(context_, in.at<float>("weights"), f32(weights_dims(p), memory::format_tag::oihw),
                 desc_.weights_desc()),
        dst_(context_, desc_.dst_desc()),
        scratchpad_(context_, desc_.scratchpad_desc()) {
    arguments_ = {{DNNL_ARG_SRC, src_.memory()},
                  {DNNL_ARG_WEIGHTS, weights_.memory()},
                  {DNNL_ARG_DST, dst_.memory()},
                  {DNNL_ARG_SCRATCHPAD, scratchpad_.memory()}};
    if (p.epilogue.bias) {
      const auto bias = f32({p.K}, memory::format_tag::a);
      bias_ = onednn::Source(context_, in.at<float>("bias"), bias, bias);
      arguments_.emplace(DNNL_ARG_BIAS, bias_.memory());
    }
    if (p.epilogue.residual) {
      residual_ = onednn::Source(context_, in.at<float>("residual"), plain_dst_desc_, desc_.dst_desc());
      arguments_.emplace(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, residual_.memory());
    }
    memory plain_dst(plain_dst_desc_, context_.engine, nullptr);
    unpack_ = dnnl::reorder(dst_.memory(), plain_dst);
    has_residual_ = p.epilogue.residual;
  }

  void pack() override {
    src_.pack(context_);
    weights_.pack(context_);
    if (has_residual_) residual_.pack(context_);
  }

  void run() override {
    primitive_.execute(context_.stream, arguments_);
    context_.stream.wait();
  }

  void unpack(PlainTensors& out) override {
    memory from = dst_.memory();
    memory to(plain_dst_desc_, context_.engine, out.at<float>("dst"));
    unpack_.execute(context_.stream, from, to);
    context_.stream.wait();
  }

  std::string implementation() const override { return desc_.impl_info_str(); }
  std::string isa() const override { return onednn::isa(); }

 private:
  Context context_;
  Desc desc_;
  dnnl::convolution_forward primitive_;
  memory::desc plain_dst_desc_;
  onednn::Source src_, weights_, bias_, residual_;
  onednn::Tensor dst_, scratchpad_;
  dnnl::reorder unpack_;
  onednn::Arguments arguments_;
  bool has_residual_ = false;
};

}  // namespace

Contender<ConvForwardOp> onednn_conv() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const ConvProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return {std::make_unique<PreparedOnednnConv>(p, in)};
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::onednn_conv() {
  return absent_library<ConvForwardOp>("onednn", "oneDNN");
}

#endif
