// The passes of convolution by Winograd's algorithm as contenders (our_loops.hpp), around our simd brick. Other kernels
// than 3 x 3 of stride 1 are rows that say so. Plans are the rule's alone: --plan is one of the direct loops.
#pragma once
#include <algorithm>
#include <string>
#include <utility>

#include "aligned_buffer.hpp"
#include "conv/conv_pack.hpp"
#include "conv/conv_winograd.hpp"
#include "conv/conv_winograd_update.hpp"
#include "conv/stride_phases.hpp"
#include "layers.hpp"
#include "our_loops.hpp"

namespace brickwork {

struct WinogradPass {
  using Plan = WinogradPlan;
  using Driver = ConvWinograd;

  static Plan rule(const ConvView& view, const MachineModel& machine, Backend) { return plan_winograd(view, machine); }
};

struct WinogradForwardPass : WinogradPass {
  using Op = ConvForwardOp;
  class Prepared;

  static ConvView problem(const ConvProblem& p) { return forward_view(p); }
};

class WinogradForwardPass::Prepared final : public PreparedLoops<ConvWinograd> {
 public:
  Prepared(const PlainTensors& plain, ConvWinograd conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        src_(driver_.src_layout().size()),
        weights_(driver_.forward_layout().size()),
        transformed_(driver_.weights_size()),
        dst_(driver_.dst_layout().size()),
        bias_(plain.at<float>("bias") ? driver_.dst_layout().Cb() * driver_.dst_layout().bc : 0),
        residual_(plain.at<float>("residual") ? dst_.size() : 0) {}

  void pack() override {
    pack_nchw(driver_.src_layout(), plain_.at<float>("src"), src_.data());
    pack_kcrs(driver_.forward_layout(), plain_.at<float>("weights"), weights_.data());
    driver_.transform_forward(weights_.data(), transformed_.data());
    if (bias_.size() > 0) std::copy_n(plain_.at<float>("bias"), driver_.dst_layout().C, bias_.data());
    if (residual_.size() > 0) pack_nchw(driver_.dst_layout(), plain_.at<float>("residual"), residual_.data());
  }
  void run() override {
    driver_.run(src_.data(), transformed_.data(), bias_.data(), residual_.data(), nullptr, dst_.data());
  }
  void unpack(PlainTensors& out) override { unpack_nchw(driver_.dst_layout(), dst_.data(), out.at<float>("dst")); }

 private:
  AlignedBuffer<float> src_, weights_, transformed_, dst_, bias_, residual_;
};

struct WinogradBackwardPass : WinogradPass {
  using Op = ConvBackwardDataOp;
  class Prepared;

  static ConvView problem(const ConvProblem& p) { return backward_phases(p).front().view; }
};

class WinogradBackwardPass::Prepared final : public PreparedLoops<ConvWinograd> {
 public:
  Prepared(const PlainTensors& plain, ConvWinograd conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        ddst_(driver_.src_layout().size()),
        weights_(driver_.backward_layout().size()),
        transformed_(driver_.weights_size()),
        dsrc_(driver_.dst_layout().size()),
        residual_(plain.at<float>("residual") ? dsrc_.size() : 0),
        at_(plain.at<float>("at") ? dsrc_.size() : 0) {}

  void pack() override {
    pack_nchw(driver_.src_layout(), plain_.at<float>("ddst"), ddst_.data());
    pack_kcrs(driver_.backward_layout(), plain_.at<float>("weights"), weights_.data());
    driver_.transform_backward(weights_.data(), transformed_.data());
    if (residual_.size() > 0) pack_nchw(driver_.dst_layout(), plain_.at<float>("residual"), residual_.data());
    if (at_.size() > 0) pack_nchw(driver_.dst_layout(), plain_.at<float>("at"), at_.data());
  }
  void run() override {
    driver_.run(ddst_.data(), transformed_.data(), nullptr, residual_.data(), at_.data(), dsrc_.data());
  }
  void unpack(PlainTensors& out) override { unpack_nchw(driver_.dst_layout(), dsrc_.data(), out.at<float>("dsrc")); }

 private:
  AlignedBuffer<float> ddst_, weights_, transformed_, dsrc_, residual_, at_;
};

struct WinogradUpdatePass {
  using Op = ConvWeightUpdateOp;
  using Plan = WinogradPlan;
  using Driver = ConvWinogradUpdate;
  class Prepared;

  static const ConvProblem& problem(const ConvProblem& p) { return p; }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend) {
    return plan_winograd_update(forward_view(p), machine);
  }
};

class WinogradUpdatePass::Prepared final : public PreparedLoops<ConvWinogradUpdate> {
 public:
  Prepared(const PlainTensors& plain, ConvWinogradUpdate conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        src_(driver_.src_layout().size()),
        ddst_(driver_.ddst_layout().size()),
        dweights_(driver_.dweights_layout().size()) {}

  void pack() override {
    pack_nchw(driver_.src_layout(), plain_.at<float>("src"), src_.data());
    pack_nchw(driver_.ddst_layout(), plain_.at<float>("ddst"), ddst_.data());
  }
  void run() override { driver_.run(src_.data(), ddst_.data(), dweights_.data()); }
  void unpack(PlainTensors& out) override {
    unpack_kcrs(driver_.dweights_layout(), dweights_.data(), out.at<float>("dweights"));
  }

 private:
  AlignedBuffer<float> src_, ddst_, dweights_;
};

template <class Pass>
Contender<typename Pass::Op> winograd_loops(const Options& o) {
  const OurBrick ours(Backend::simd, o);
  auto contender = ours.contender<typename Pass::Op>();
  contender.name = "brickwork-winograd";
  contender.least_share = kWinogradShare;
  contender.prepare = [=](const ConvProblem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    auto driver = make_driver<Pass>(ours, p, rules_plan<Pass>(ours, p, r));
    if (!driver) return {driver.status(), driver.reason()};
    return prepare_driver<Pass>(ours, inputs, *std::move(driver), "brgemm loops, Winograd F(2x2, 3x3)");
  };
  return contender;
}

}  // namespace brickwork
