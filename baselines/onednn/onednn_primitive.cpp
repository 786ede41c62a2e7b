#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_primitive.hpp"

#include <stdexcept>

namespace brickwork::onednn {

using dnnl::memory;

memory::desc plain(const memory::dims& dims) {
  using Tag = memory::format_tag;
  switch (dims.size()) {
    case 1:
      return {dims, memory::data_type::f32, Tag::a};
    case 2:
      return {dims, memory::data_type::f32, Tag::ab};
    case 3:
      return {dims, memory::data_type::f32, Tag::abc};
    case 4:
      return {dims, memory::data_type::f32, Tag::abcd};
    case 5:
      return {dims, memory::data_type::f32, Tag::abcde};
  }
  throw std::logic_error("no operation has a tensor with this number of dimensions");
}

memory::desc any_layout(const memory::dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

dnnl::algorithm eltwise_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return dnnl::algorithm::eltwise_relu;
    case Activation::sigmoid:
      return dnnl::algorithm::eltwise_logistic;
    case Activation::tanh:
      return dnnl::algorithm::eltwise_tanh;
    case Activation::gelu:
      return dnnl::algorithm::eltwise_gelu_tanh;
    default:
      throw std::logic_error("the activation must not be none");
  }
}

dnnl::algorithm eltwise_by_dst_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return dnnl::algorithm::eltwise_relu_use_dst_for_bwd;
    case Activation::sigmoid:
      return dnnl::algorithm::eltwise_logistic_use_dst_for_bwd;
    case Activation::tanh:
      return dnnl::algorithm::eltwise_tanh_use_dst_for_bwd;
    default:
      throw std::logic_error("oneDNN has no derivative of this activation by its result");
  }
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::primitive_attr fused(const Epilogue& e, const memory::dims& dst) {
  dnnl::post_ops post_ops;
  // Not the sum post-op: it reads the residual from dst, so that a second run would add the first one's result.
  if (e.residual) post_ops.append_binary(dnnl::algorithm::binary_add, any_layout(dst));
  if (e.activation != Activation::none) post_ops.append_eltwise(eltwise_of(e.activation), 0.0f, 0.0f);
  dnnl::primitive_attr attributes = user_scratchpad();
  attributes.set_post_ops(post_ops);
  return attributes;
}

std::vector<Operand> fused_sources(const Epilogue& e, const memory::desc& bias, const memory::desc& dst) {
  std::vector<Operand> sources;
  if (e.bias) sources.push_back({DNNL_ARG_BIAS, "bias", bias});
  if (e.residual) sources.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, "residual", dst});
  return sources;
}

int channel_block() { return dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core ? 16 : 8; }

memory::desc blocked(const memory::dims& dims) {
  using Tag = memory::format_tag;
  return {dims, memory::data_type::f32, channel_block() == 16 ? Tag::nChw16c : Tag::nChw8c};
}

PreparedPrimitive::PreparedPrimitive(const Context& context, const dnnl::primitive& primitive,
                                     const memory::desc& scratchpad, std::string implementation, const PlainTensors& in,
                                     const std::vector<Operand>& sources, const std::vector<Operand>& results,
                                     Before before)
    : context_(context),
      primitive_(primitive),
      implementation_(std::move(implementation)),
      before_(std::move(before.primitive)),
      scratchpad_(context, scratchpad),
      arguments_{{DNNL_ARG_SCRATCHPAD, scratchpad_.memory()}} {
  for (const Operand& source : sources) {
    sources_.emplace_back(context, in.at<float>(source.name), plain(source.wanted.get_dims()), source.wanted);
    arguments_.emplace(source.argument, sources_.back().memory());
  }
  for (const Operand& result : results) {
    Output output{result.name, Tensor(context, result.wanted), {}};
    arguments_.emplace(result.argument, output.tensor.memory());
    if (!result.name.empty()) {
      const memory to(plain(result.wanted.get_dims()), context.engine, nullptr);
      output.unpack = dnnl::reorder(output.tensor.memory(), to);
    }
    outputs_.push_back(std::move(output));
  }
  for (const int argument : before.arguments) arguments_.emplace(argument, before_->arguments_.at(argument));
}

void PreparedPrimitive::pack() {
  for (Source& source : sources_) source.pack(context_);
  if (!before_) return;
  before_->pack();
  before_->run();
}

void PreparedPrimitive::run() {
  primitive_.execute(context_.stream, arguments_);
  context_.stream.wait();
}

void PreparedPrimitive::unpack(PlainTensors& out) {
  for (Output& output : outputs_) {
    if (output.name.empty()) continue;
    memory from = output.tensor.memory();
    memory to(plain(from.get_desc().get_dims()), context_.engine, out.at<float>(output.name));
    output.unpack.execute(context_.stream, from, to);
  }
  context_.stream.wait();
}

}  // namespace brickwork::onednn
#endif
