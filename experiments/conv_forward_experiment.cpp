// conv-forward: a network's convolutions, our loops around each backend of the brick beside the libraries.
#include <algorithm>

#include "aligned_buffer.hpp"
#include "conv/conv_forward.hpp"
#include "conv/conv_pack.hpp"
#include "conv_baselines.hpp"
#include "experiment_of.hpp"
#include "onednn_latest.hpp"
#include "our_brick.hpp"

namespace brickwork {
namespace {

class PreparedConvForward final : public Prepared {
 public:
  PreparedConvForward(const ConvEpilogue& epilogue, const PlainTensors& plain, ConvForward conv, std::string tuning)
      : plain_(plain),
        tuning_(std::move(tuning)),
        conv_(std::move(conv)),
        src_(conv_.src_layout().size()),
        weights_(conv_.weights_layout().size()),
        dst_(conv_.dst_layout().size()),
        bias_(epilogue.bias ? conv_.dst_layout().Cb() * conv_.dst_layout().bc : 0),
        residual_(epilogue.residual ? conv_.dst_layout().size() : 0) {}

  void pack() override {
    pack_nchw(conv_.src_layout(), plain_.at<float>("src"), src_.data());
    pack_kcrs(conv_.weights_layout(), plain_.at<float>("weights"), weights_.data());
    if (bias_.size() > 0) std::copy_n(plain_.at<float>("bias"), conv_.dst_layout().C, bias_.data());
    if (residual_.size() > 0) pack_nchw(conv_.dst_layout(), plain_.at<float>("residual"), residual_.data());
  }
  void run() override { conv_.run(src_.data(), weights_.data(), bias_.data(), residual_.data(), dst_.data()); }
  void unpack(PlainTensors& out) override { unpack_nchw(conv_.dst_layout(), dst_.data(), out.at<float>("dst")); }

  std::string implementation() const override { return "brgemm loops"; }
  std::string plan() const override { return to_string(conv_.plan()); }
  std::string isa() const override { return std::string(conv_.isa()); }
  std::string tuning() const override { return tuning_; }

 private:
  const PlainTensors& plain_;
  std::string tuning_;
  ConvForward conv_;
  AlignedBuffer<float> src_, weights_, dst_, bias_, residual_;
};

// The plan is --plan's, or the rule's choice for each problem.
Contender<ConvForwardOp> loops(Backend backend, const Options& o) {
  const OurBrick ours(backend, o);
  const std::optional<ConvPlan> asked = o.plan.empty() ? std::nullopt : std::optional(parse_conv_plan(o.plan));
  const auto make = [=](const ConvProblem& p, const Resources& resources) {
    const ConvPlan plan = asked ? *asked : plan_conv_forward(p, this_machine(resources.threads), backend);
    return ConvForward::make(p, plan, backend, ours.isa(), ours.tuning());
  };
  auto contender = ours.contender<ConvForwardOp>();
  contender.prepare = [=](const ConvProblem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    auto conv = make(p, r);
    if (!conv) return {conv.status(), conv.reason()};
    return PreparedPtr(std::make_unique<PreparedConvForward>(p.epilogue, inputs, *std::move(conv), ours.tuning_text()));
  };
  contender.plan = [=](const ConvProblem& p, const Resources& r) -> Result<std::string> {
    const auto conv = make(p, r);
    if (!conv) return {conv.status(), conv.reason()};
    return to_string(conv->plan());
  };
  return contender;
}

}  // namespace

std::unique_ptr<Experiment> conv_forward_experiment(const Request& request) {
  const Options& o = request.options;
  return make_experiment<ConvForwardOp>(
      request, {loops(Backend::simd, o), loops(Backend::libxsmm, o), loops(Backend::portable, o), onednn_conv(),
                onednn_latest("onednn-latest", onednn_conv()), libxsmm_dnn_conv(), im2col_conv(), small_gemm_conv()});
}

}  // namespace brickwork
