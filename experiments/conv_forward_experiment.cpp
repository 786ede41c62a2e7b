// conv-forward: a network's convolutions, our loops around each backend of the brick beside the libraries.
#include <algorithm>

#include "aligned_buffer.hpp"
#include "conv/conv_forward_search.hpp"
#include "conv/conv_pack.hpp"
#include "conv_baselines.hpp"
#include "experiment_of.hpp"
#include "interrupt.hpp"
#include "onednn_latest.hpp"
#include "our_brick.hpp"

namespace brickwork {
namespace {

class PreparedConvForward final : public Prepared {
 public:
  PreparedConvForward(const ConvEpilogue& epilogue, const PlainTensors& plain, ConvForward conv, std::string tuning,
                      std::string implementation = "brgemm loops")
      : plain_(plain),
        tuning_(std::move(tuning)),
        implementation_(std::move(implementation)),
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

  std::string implementation() const override { return implementation_; }
  std::string plan() const override { return to_string(conv_.plan()); }
  std::string isa() const override { return std::string(conv_.isa()); }
  std::string tuning() const override { return tuning_; }

 private:
  const PlainTensors& plain_;
  std::string tuning_, implementation_;
  ConvForward conv_;
  AlignedBuffer<float> src_, weights_, dst_, bias_, residual_;
};

ConvPlan rule(const OurBrick& ours, const ConvProblem& p, const Resources& resources) {
  MachineModel machine = this_machine(resources.threads);
  machine.far = ours.tuning().far;
  return plan_conv_forward(p, machine, ours.backend());
}

Result<ConvForward> make(const OurBrick& ours, const ConvProblem& p, const ConvPlan& plan) {
  return ConvForward::make(p, plan, ours.backend(), ours.isa(), ours.tuning());
}

// The plan is --plan's, or the rule's choice for each problem.
Contender<ConvForwardOp> loops(Backend backend, const Options& o) {
  const OurBrick ours(backend, o);
  const std::optional<ConvPlan> asked = o.plan.empty() ? std::nullopt : std::optional(parse_conv_plan(o.plan));
  const auto make_planned = [=](const ConvProblem& p, const Resources& r) {
    return make(ours, p, asked ? *asked : rule(ours, p, r));
  };
  auto contender = ours.contender<ConvForwardOp>();
  contender.prepare = [=](const ConvProblem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    auto conv = make_planned(p, r);
    if (!conv) return {conv.status(), conv.reason()};
    return PreparedPtr(std::make_unique<PreparedConvForward>(p.epilogue, inputs, *std::move(conv), ours.tuning_text()));
  };
  contender.plan = [=](const ConvProblem& p, const Resources& r) -> Result<std::string> {
    const auto conv = make_planned(p, r);
    if (!conv) return {conv.status(), conv.reason()};
    return to_string(conv->plan());
  };
  return contender;
}

// The best plan that is found for each problem in so many seconds.
Contender<ConvForwardOp> searched_loops(Backend backend, const Options& o, double seconds) {
  const OurBrick ours(backend, o);
  auto contender = ours.contender<ConvForwardOp>();
  contender.searched_for = contender.name;
  contender.name += "-searched";
  contender.prepare = [=](const ConvProblem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    const ConvPlan first = rule(ours, p, r);
    if (const auto conv = make(ours, p, first); !conv) return {conv.status(), conv.reason()};
    const auto found =
        search_conv_forward(p, first, {seconds, steady_race_clock, interrupted}, backend, ours.isa(), ours.tuning());
    return PreparedPtr(
        std::make_unique<PreparedConvForward>(p.epilogue, inputs, *make(ours, p, found.plan), ours.tuning_text(),
                                              fmt::format("brgemm loops, the best of {} plans", found.tried + 1)));
  };
  return contender;
}

}  // namespace

std::unique_ptr<Experiment> conv_forward_experiment(const Request& request) {
  const Options& o = request.options;
  std::vector<Contender<ConvForwardOp>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(loops(backend, o));
    if (o.plan_search && !o.list) contenders.push_back(searched_loops(backend, o, *o.plan_search));
  }
  for (const auto& library : {onednn_conv(), onednn_latest("onednn-latest", onednn_conv()), libxsmm_dnn_conv(),
                              im2col_conv(), small_gemm_conv()}) {
    contenders.push_back(library);
  }
  return make_experiment<ConvForwardOp>(request, std::move(contenders));
}

}  // namespace brickwork
