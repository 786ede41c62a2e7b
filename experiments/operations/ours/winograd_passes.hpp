// The passes of convolution by Winograd's algorithm as contenders (our_loops.hpp), around our simd brick. A kernel that
// is not 3 x 3 with stride 1 gets a row that says so.
#pragma once
#include <algorithm>
#include <string>
#include <utility>

#include "experiments/operations/ours/by_winograd.hpp"
#include "experiments/operations/ours/layers.hpp"
#include "experiments/operations/ours/our_loops.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/winograd/conv_winograd.hpp"
#include "primitives/conv/winograd/conv_winograd_update.hpp"

namespace brickwork {

struct WinogradPlans {
  using Plan = WinogradPlan;
  static Plan parse(std::string_view text) { return parse_winograd_plan(text); }
  static bool reads(std::string_view text) { return is_winograd_plan(text); }
};

// Forward and backward by data each run as one convolution. A pass names the tensors that it reads and writes, the
// layout and the transform of forward's weights, and the operands of its epilogue.
struct WinogradForwardPass : WinogradPlans {
  using Op = ConvForwardOp;
  using Driver = ConvWinograd;
  class Prepared;

  static ConvView problem(const ConvProblem& p) { return forward_view(p); }
  static Plan rule(const ConvView& view, const MachineModel& machine, Backend) {
    return plan_winograd(view, machine, WinogradWeights::of_all_runs);
  }

  static constexpr const char *src = "src", *dst = "dst";
  static constexpr auto weights_layout = &ConvWinograd::forward_layout;
  static constexpr auto transform = &ConvWinograd::transform_forward;
  static const float* bias(const PlainTensors& plain) { return plain.at<float>("bias"); }
  static const float* at(const PlainTensors&) { return nullptr; }
};

struct WinogradBackwardPass : WinogradPlans {
  using Op = ConvBackwardDataOp;
  using Driver = ConvWinograd;
  class Prepared;

  static ConvView problem(const ConvProblem& p) { return backward_phases(p).front().view; }
  static Plan rule(const ConvView& view, const MachineModel& machine, Backend) {
    return plan_winograd(view, machine, WinogradWeights::of_all_runs);
  }

  static constexpr const char *src = "ddst", *dst = "dsrc";
  static constexpr auto weights_layout = &ConvWinograd::backward_layout;
  static constexpr auto transform = &ConvWinograd::transform_backward;
  static const float* bias(const PlainTensors&) { return nullptr; }
  static const float* at(const PlainTensors& plain) { return plain.at<float>("at"); }
};

template <class Pass>
class PreparedWinograd : public PreparedLoops<ConvWinograd> {
 public:
  PreparedWinograd(const PlainTensors& plain, ConvWinograd conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        src_(driver_.src_layout().size()),
        weights_((driver_.*Pass::weights_layout)().size()),
        transformed_(driver_.weights_size()),
        dst_(driver_.dst_layout().size()),
        bias_(Pass::bias(plain) ? driver_.dst_layout().Cb() * driver_.dst_layout().bc : 0),
        residual_(plain.at<float>("residual") ? dst_.size() : 0),
        at_(Pass::at(plain) ? dst_.size() : 0) {}

  void pack() override {
    pack_nchw(driver_.src_layout(), plain_.at<float>(Pass::src), src_.data());
    pack_kcrs((driver_.*Pass::weights_layout)(), plain_.at<float>("weights"), weights_.data());
    (driver_.*Pass::transform)(weights_.data(), transformed_.data());
    if (const float* const bias = Pass::bias(plain_)) std::copy_n(bias, driver_.dst_layout().C, bias_.data());
    if (residual_.size() > 0) pack_nchw(driver_.dst_layout(), plain_.at<float>("residual"), residual_.data());
    if (const float* const at = Pass::at(plain_)) pack_nchw(driver_.dst_layout(), at, at_.data());
  }
  void run() override {
    driver_.run(src_.data(), transformed_.data(), bias_.data(), residual_.data(), at_.data(), dst_.data());
  }
  void unpack(PlainTensors& out) override { unpack_nchw(driver_.dst_layout(), dst_.data(), out.at<float>(Pass::dst)); }

 private:
  AlignedBuffer<float> src_, weights_, transformed_, dst_, bias_, residual_, at_;
};

class WinogradForwardPass::Prepared final : public PreparedWinograd<WinogradForwardPass> {
  using PreparedWinograd::PreparedWinograd;
};
class WinogradBackwardPass::Prepared final : public PreparedWinograd<WinogradBackwardPass> {
  using PreparedWinograd::PreparedWinograd;
};

struct WinogradUpdatePass : WinogradPlans {
  using Op = ConvWeightUpdateOp;
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
  return planned_loops<Pass>(contender_by_winograd<typename Pass::Op>(ours), ours, o,
                             std::string(kOurLoops) + ", " + kByWinograd);
}

}  // namespace brickwork
