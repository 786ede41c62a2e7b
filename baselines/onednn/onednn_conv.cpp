// oneDNN's convolution in the layouts that it chooses itself (format any): the faster one of its implementations for
// inference and for training.
#include "baselines/conv_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_conv.hpp"
#include "primitives/planning/race/race.hpp"

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

PreparedPtr prepare_conv_forward(const ConvProblem& p, const PlainTensors& in, dnnl::prop_kind kind) {
  const Context context;
  const ConvTensors t(p);
  const auto bias = p.epilogue.bias ? plain({p.K}) : dnnl::memory::desc();
  const auto desc = describe_forward(context, kind, t, bias, fused(p.epilogue, t.dst.get_dims()));
  std::vector<Operand> sources = fused_sources(p.epilogue, bias, desc.dst_desc());
  sources.push_back({DNNL_ARG_SRC, "src", desc.src_desc()});
  sources.push_back({DNNL_ARG_WEIGHTS, "weights", desc.weights_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::convolution_forward(desc), in, sources,
                                             std::vector<Operand>{{DNNL_ARG_DST, "dst", desc.dst_desc()}});
}

// The implementation for training is not always the slower one: on Zen 4 its 1x1 convolutions of ResNet-50 take 0.8 to
// 1.0 of the time of those for inference.
PreparedPtr prepare_fastest_conv_forward(const ConvProblem& p, const PlainTensors& in) {
  constexpr int kRounds = 5;
  constexpr double kSampleSeconds = 1e-3;
  PreparedPtr inference = prepare_conv_forward(p, in, dnnl::prop_kind::forward_inference);
  PreparedPtr training = prepare_conv_forward(p, in, dnnl::prop_kind::forward_training);
  if (inference->implementation() == training->implementation()) return inference;
  const auto racer = [&](Prepared& prepared) {
    prepared.pack();
    return racer_of([&prepared] { prepared.run(); }, kSampleSeconds, steady_race_clock);
  };
  const auto seconds = race_medians({racer(*inference), racer(*training)}, kRounds);
  return seconds[1] < seconds[0] ? std::move(training) : std::move(inference);
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
            return onednn::prepare_fastest_conv_forward(p, in);
          }};
}

}  // namespace brickwork

#else

brickwork::Contender<brickwork::ConvForwardOp> brickwork::onednn_conv() {
  return absent_library<ConvForwardOp>("onednn", "oneDNN");
}

#endif
