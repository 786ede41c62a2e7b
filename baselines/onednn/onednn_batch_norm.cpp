// oneDNN's batch normalisation, fused with a ReLU, or with a residual and a ReLU if the library has that.
#include "baselines/batch_norm_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/onednn_batch_norm.hpp"

namespace brickwork {
namespace onednn {
namespace {

using Forward = dnnl::batch_normalization_forward;
using Backward = dnnl::batch_normalization_backward;
using Flags = dnnl::normalization_flags;

constexpr float kEpsilon = static_cast<float>(BatchNormProblem::epsilon);
constexpr bool kAllowEmpty = true;  // if the library has no such primitive

Flags norm_flags(const BatchNormProblem& p) {
  const Flags scaled = Flags::use_scale | Flags::use_shift;
  return p.residual() ? scaled | Flags::fuse_norm_add_relu : p.relu() ? scaled | Flags::fuse_norm_relu : scaled;
}

dnnl::memory::desc norm_images(const BatchNormProblem& p) { return blocked({p.N, p.C, p.H, p.W}); }

}  // namespace

Forward::primitive_desc norm_forward_of(const Context& context, const BatchNormProblem& p,
                                        const dnnl::memory::desc& images) {
  return {context.engine, dnnl::prop_kind::forward_training, images, images, kEpsilon, norm_flags(p), user_scratchpad(),
          kAllowEmpty};
}

Backward::primitive_desc norm_backward_of(const Context& context, const BatchNormProblem& p,
                                          const dnnl::memory::desc& images, const Forward::primitive_desc& forward) {
  return {context.engine, dnnl::prop_kind::backward, images,     images, images, kEpsilon, norm_flags(p),
          forward,        user_scratchpad(),         kAllowEmpty};
}

namespace {

std::vector<Operand> norm_sources(const BatchNormProblem& p) {
  std::vector<Operand> sources{{DNNL_ARG_SRC, "src", norm_images(p)},
                               {DNNL_ARG_SCALE, "gamma", plain({p.C})},
                               {DNNL_ARG_SHIFT, "beta", plain({p.C})}};
  if (p.residual()) sources.push_back({DNNL_ARG_SRC_1, "residual", norm_images(p)});
  return sources;
}

// Results are named if they are the operation's.
std::unique_ptr<PreparedPrimitive> prepare_norm_forward(const Context& context, const BatchNormProblem& p,
                                                        const Forward::primitive_desc& desc, const PlainTensors& in,
                                                        bool named) {
  const auto name = [&](const char* of) { return named ? std::string(of) : std::string(); };
  std::vector<Operand> results{{DNNL_ARG_DST, name("dst"), norm_images(p)},
                               {DNNL_ARG_MEAN, name("mean"), plain({p.C})},
                               {DNNL_ARG_VARIANCE, name("variance"), plain({p.C})}};
  if (p.relu()) results.push_back({DNNL_ARG_WORKSPACE, {}, desc.workspace_desc()});
  return std::make_unique<PreparedPrimitive>(context, desc, Forward(desc), in, norm_sources(p), results);
}

Result<PreparedPtr> no_such_norm(const BatchNormProblem& p) {
  return Result<PreparedPtr>::unsupported("oneDNN " + version() + " has no batch normalisation in blocks of channels" +
                                          (p.residual() ? " that adds a residual" : ""));
}

Result<PreparedPtr> prepare_norm(const BatchNormProblem& p, const PlainTensors& in) {
  const Context context;
  const auto desc = norm_forward_of(context, p, norm_images(p));
  if (!desc) return no_such_norm(p);
  return PreparedPtr(prepare_norm_forward(context, p, desc, in, true));
}

Result<PreparedPtr> prepare_norm_inference(const BatchNormProblem& p, const PlainTensors& in) {
  const Context context;
  const auto images = norm_images(p);
  const Forward::primitive_desc desc(context.engine, dnnl::prop_kind::forward_inference, images, images, kEpsilon,
                                     norm_flags(p) | Flags::use_global_stats, user_scratchpad(), kAllowEmpty);
  if (!desc) return no_such_norm(p);
  std::vector<Operand> sources = norm_sources(p);
  sources.push_back({DNNL_ARG_MEAN, "mean", plain({p.C})});
  sources.push_back({DNNL_ARG_VARIANCE, "variance", plain({p.C})});
  return PreparedPtr(std::make_unique<PreparedPrimitive>(context, desc, Forward(desc), in, sources,
                                                         std::vector<Operand>{{DNNL_ARG_DST, "dst", images}}));
}

Result<PreparedPtr> prepare_norm_backward(const BatchNormProblem& p, const PlainTensors& in) {
  const Context context;
  const auto images = norm_images(p), channels = plain({p.C});
  const auto forward = norm_forward_of(context, p, images);
  if (!forward) return no_such_norm(p);
  const auto desc = norm_backward_of(context, p, images, forward);
  if (!desc) return no_such_norm(p);
  std::vector<Operand> results{{DNNL_ARG_DIFF_SRC, "dsrc", images},
                               {DNNL_ARG_DIFF_SCALE, "dgamma", channels},
                               {DNNL_ARG_DIFF_SHIFT, "dbeta", channels}};
  if (p.residual()) results.push_back({DNNL_ARG_DIFF_SRC_1, "dresidual", images});
  std::vector<int> left{DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};
  if (p.relu()) left.push_back(DNNL_ARG_WORKSPACE);
  return PreparedPtr(std::make_unique<PreparedPrimitive>(
      context, desc, Backward(desc), in, std::vector<Operand>{{DNNL_ARG_DIFF_DST, "ddst", images}}, results,
      Before{prepare_norm_forward(context, p, forward, in, false), left}));
}

template <Operation Op>
Contender<Op> norm_contender(Result<PreparedPtr> (*prepare)(const BatchNormProblem&, const PlainTensors&)) {
  return {
      .name = "onednn",
      .library = {"oneDNN", version()},
      .prepare = [=](const BatchNormProblem& p, const PlainTensors& in, const Resources&) { return prepare(p, in); }};
}

}  // namespace
}  // namespace onednn

Contender<BatchNormForwardOp> onednn_batch_norm() {
  return onednn::norm_contender<BatchNormForwardOp>(onednn::prepare_norm);
}
Contender<BatchNormInferenceOp> onednn_batch_norm_inference() {
  return onednn::norm_contender<BatchNormInferenceOp>(onednn::prepare_norm_inference);
}
Contender<BatchNormBackwardOp> onednn_batch_norm_backward() {
  return onednn::norm_contender<BatchNormBackwardOp>(onednn::prepare_norm_backward);
}

}  // namespace brickwork

#else

namespace brickwork {

Contender<BatchNormForwardOp> onednn_batch_norm() { return absent_library<BatchNormForwardOp>("onednn", "oneDNN"); }
Contender<BatchNormInferenceOp> onednn_batch_norm_inference() {
  return absent_library<BatchNormInferenceOp>("onednn", "oneDNN");
}
Contender<BatchNormBackwardOp> onednn_batch_norm_backward() {
  return absent_library<BatchNormBackwardOp>("onednn", "oneDNN");
}

}  // namespace brickwork

#endif
