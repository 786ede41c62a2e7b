// oneDNN's recurrent layers: LSTM, GRU, linear-before-reset GRU and plain RNN.
#include "baselines/rnn_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <algorithm>
#include <vector>

#include "baselines/onednn/onednn_rnn.hpp"
#include "baselines/onednn/stacked_layers.hpp"

namespace brickwork {
namespace onednn {
namespace {

std::vector<Operand> rnn_weights(const RnnDescription& desc) {
  return {{DNNL_ARG_WEIGHTS_LAYER, "weights_layer.0", desc.argument(DNNL_ARG_WEIGHTS_LAYER)},
          {DNNL_ARG_WEIGHTS_ITER, "weights_iter.0", desc.argument(DNNL_ARG_WEIGHTS_ITER)}};
}

void add_c(const RnnProblem& p, const RnnTensors& t, int argument, const char* name, std::vector<Operand>& operands) {
  if (p.has_c()) operands.push_back({argument, name, t.c});
}

// Results are named if they are the operation's.
std::unique_ptr<PreparedPrimitive> prepare_rnn_forward(const Context& context, const RnnProblem& p,
                                                       const RnnDescription& desc, const PlainTensors& in,
                                                       bool training, bool named) {
  const RnnTensors t(p);
  std::vector<Operand> sources = rnn_weights(desc);
  sources.push_back({DNNL_ARG_SRC_LAYER, "x", t.x});
  sources.push_back({DNNL_ARG_SRC_ITER, "h0", t.h});
  sources.push_back({DNNL_ARG_BIAS, "bias.0", t.bias});
  add_c(p, t, DNNL_ARG_SRC_ITER_C, "c0", sources);
  std::vector<Operand> results{{DNNL_ARG_DST_LAYER, named ? "y" : "", t.y},
                               {DNNL_ARG_DST_ITER, named ? "hT" : "", t.h}};
  add_c(p, t, DNNL_ARG_DST_ITER_C, named ? "cT" : "", results);
  if (training) results.push_back({DNNL_ARG_WORKSPACE, {}, desc.workspace_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::primitive(desc), in, sources, results);
}

std::unique_ptr<PreparedPrimitive> prepare_rnn_backward(const Context& context, const RnnProblem& p,
                                                        const RnnDescription& forward, const RnnDescription& desc,
                                                        const PlainTensors& in) {
  const RnnTensors t(p);
  std::vector<Operand> sources = rnn_weights(desc);
  sources.push_back({DNNL_ARG_DIFF_DST_LAYER, "dy", t.y});
  sources.push_back({DNNL_ARG_DIFF_DST_ITER, "dhT", t.h});
  add_c(p, t, DNNL_ARG_DIFF_DST_ITER_C, "dcT", sources);
  std::vector<Operand> results{
      {DNNL_ARG_DIFF_SRC_LAYER, "dx", t.x},
      {DNNL_ARG_DIFF_SRC_ITER, "dh0", t.h},
      {DNNL_ARG_DIFF_WEIGHTS_LAYER, "weights_layer.0.gradient", desc.argument(DNNL_ARG_DIFF_WEIGHTS_LAYER)},
      {DNNL_ARG_DIFF_WEIGHTS_ITER, "weights_iter.0.gradient", desc.argument(DNNL_ARG_DIFF_WEIGHTS_ITER)},
      {DNNL_ARG_DIFF_BIAS, "bias.0.gradient", t.bias}};
  add_c(p, t, DNNL_ARG_DIFF_SRC_ITER_C, "dc0", results);
  std::vector<int> left{DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_BIAS,
                        DNNL_ARG_DST_LAYER, DNNL_ARG_DST_ITER, DNNL_ARG_WORKSPACE};
  if (p.has_c()) left.insert(left.end(), {DNNL_ARG_SRC_ITER_C, DNNL_ARG_DST_ITER_C});
  return std::make_unique<PreparedPrimitive>(context, desc, dnnl::primitive(desc), in, sources, results,
                                             Before{prepare_rnn_forward(context, p, forward, in, true, false), left});
}

// Why the library has no such primitive; empty if it may have one.
std::string not_for_onednn(const RnnProblem& p) {
  if (p.unequal()) return "oneDNN has no sequences of unequal length in a minibatch";
  if (p.L > 1 && p.D() > 1) return "a oneDNN primitive has no bidirectional layer that reads another layer";
  if (p.L > 1 && p.features(0) != p.features(1)) {
    return "all layers of a oneDNN primitive read the same number of features: with several layers C must be K";
  }
  return {};
}

enum class RnnPass { inference, forward, backward };

Result<PreparedPtr> prepare_rnn(const RnnProblem& p, const PlainTensors& in, RnnPass pass) {
  if (const auto reason = not_for_onednn(p); !reason.empty()) return Result<PreparedPtr>::unsupported(reason);
  const Context context;
  const bool training = pass != RnnPass::inference;
  const auto kind = training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const RnnTensors t(p);
  const RnnDescription forward(context, p, kind, t);
  const auto none = [&] {
    return Result<PreparedPtr>::unsupported("oneDNN " + version() + " has no such recurrent layers");
  };
  if (!forward) return none();
  if (pass != RnnPass::backward) {
    return stacked_layers<RnnForwardOp>(p, in, [&](const PlainTensors& tensors) {
      return prepare_rnn_forward(context, p, forward, tensors, training, true);
    });
  }
  const RnnDescription backward(context, p, t, forward);
  if (!backward) return none();
  return stacked_layers<RnnBackwardOp>(
      p, in, [&](const PlainTensors& tensors) { return prepare_rnn_backward(context, p, forward, backward, tensors); });
}

template <Operation Op>
Contender<Op> rnn_contender(RnnPass pass) {
  return {.name = "onednn",
          .library = {"oneDNN", version()},
          .prepare = [=](const RnnProblem& p, const PlainTensors& in, const Resources&) {
            return prepare_rnn(p, in, pass);
          }};
}

template <Operation Op>
Contender<Op> no_rnn_contender() {
  return {.name = "onednn",
          .library = {"oneDNN", version()},
          .prepare = [](const RnnProblem&, const PlainTensors&, const Resources&) {
            return Result<PreparedPtr>::unsupported(
                "oneDNN's backward pass of recurrent layers always computes all gradients");
          }};
}

}  // namespace
}  // namespace onednn

Contender<RnnInferenceOp> onednn_rnn_inference() {
  return onednn::rnn_contender<RnnInferenceOp>(onednn::RnnPass::inference);
}
Contender<RnnForwardOp> onednn_rnn_forward() { return onednn::rnn_contender<RnnForwardOp>(onednn::RnnPass::forward); }
Contender<RnnBackwardOp> onednn_rnn_backward() {
  return onednn::rnn_contender<RnnBackwardOp>(onednn::RnnPass::backward);
}
Contender<RnnBackwardDataOp> onednn_rnn_backward_data() { return onednn::no_rnn_contender<RnnBackwardDataOp>(); }
Contender<RnnWeightUpdateOp> onednn_rnn_weight_update() { return onednn::no_rnn_contender<RnnWeightUpdateOp>(); }

}  // namespace brickwork

#else

namespace brickwork {

Contender<RnnInferenceOp> onednn_rnn_inference() { return absent_library<RnnInferenceOp>("onednn", "oneDNN"); }
Contender<RnnForwardOp> onednn_rnn_forward() { return absent_library<RnnForwardOp>("onednn", "oneDNN"); }
Contender<RnnBackwardOp> onednn_rnn_backward() { return absent_library<RnnBackwardOp>("onednn", "oneDNN"); }
Contender<RnnBackwardDataOp> onednn_rnn_backward_data() {
  return absent_library<RnnBackwardDataOp>("onednn", "oneDNN");
}
Contender<RnnWeightUpdateOp> onednn_rnn_weight_update() {
  return absent_library<RnnWeightUpdateOp>("onednn", "oneDNN");
}

}  // namespace brickwork

#endif
