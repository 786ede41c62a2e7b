// conv-forward: a network's convolutions, our loops around each backend of the brick beside the libraries.
#include <algorithm>

#include "aligned_buffer.hpp"
#include "conv/conv_forward_search.hpp"
#include "conv/conv_pack.hpp"
#include "conv_baselines.hpp"
#include "experiment_of.hpp"
#include "interrupt.hpp"
#include "onednn_latest.hpp"
#include "our_loops.hpp"

namespace brickwork {
namespace {

struct Forward {
  using Op = ConvForwardOp;
  using Plan = ConvPlan;
  using Driver = ConvForward;
  class Prepared;

  static Plan parse(std::string_view text) { return parse_conv_plan(text); }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend backend) {
    return plan_conv_forward(p, machine, backend);
  }
};

class Forward::Prepared final : public PreparedLoops<ConvForward> {
 public:
  Prepared(const ConvProblem& p, const PlainTensors& plain, ConvForward conv, std::string tuning,
           std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        src_(driver_.src_layout().size()),
        weights_(driver_.weights_layout().size()),
        dst_(driver_.dst_layout().size()),
        bias_(p.epilogue.bias ? driver_.dst_layout().Cb() * driver_.dst_layout().bc : 0),
        residual_(p.epilogue.residual ? driver_.dst_layout().size() : 0) {}

  void pack() override {
    pack_nchw(driver_.src_layout(), plain_.at<float>("src"), src_.data());
    pack_kcrs(driver_.weights_layout(), plain_.at<float>("weights"), weights_.data());
    if (bias_.size() > 0) std::copy_n(plain_.at<float>("bias"), driver_.dst_layout().C, bias_.data());
    if (residual_.size() > 0) pack_nchw(driver_.dst_layout(), plain_.at<float>("residual"), residual_.data());
  }
  void run() override { driver_.run(src_.data(), weights_.data(), bias_.data(), residual_.data(), dst_.data()); }
  void unpack(PlainTensors& out) override { unpack_nchw(driver_.dst_layout(), dst_.data(), out.at<float>("dst")); }

 private:
  AlignedBuffer<float> src_, weights_, dst_, bias_, residual_;
};

// The best plan that is found for each problem in so many seconds.
Contender<ConvForwardOp> searched_loops(Backend backend, const Options& o, double seconds) {
  const OurBrick ours(backend, o);
  auto contender = ours.contender<ConvForwardOp>();
  contender.searched_for = contender.name;
  contender.name += "-searched";
  contender.prepare = [=](const ConvProblem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    const ConvPlan first = rules_plan<Forward>(ours, p, r);
    if (const auto conv = make_driver<Forward>(ours, p, first); !conv) return {conv.status(), conv.reason()};
    const auto found =
        search_conv_forward(p, first, {seconds, steady_race_clock, interrupted}, backend, ours.isa(), ours.tuning());
    return prepare_driver<Forward>(ours, p, inputs, *make_driver<Forward>(ours, p, found.plan),
                                   fmt::format("brgemm loops, the best of {} plans", found.tried + 1));
  };
  return contender;
}

}  // namespace

std::unique_ptr<Experiment> conv_forward_experiment(const Request& request) {
  const Options& o = request.options;
  std::vector<Contender<ConvForwardOp>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(planned_loops<Forward>(backend, o));
    if (o.plan_search && !o.list) contenders.push_back(searched_loops(backend, o, *o.plan_search));
  }
  for (const auto& library : {onednn_conv(), onednn_latest("onednn-latest", onednn_conv()), libxsmm_dnn_conv(),
                              im2col_conv(), small_gemm_conv()}) {
    contenders.push_back(library);
  }
  return make_experiment<ConvForwardOp>(request, std::move(contenders));
}

}  // namespace brickwork
