// The passes of convolution as contenders (our_loops.hpp), for every operation that runs as a convolution. Layers names
// the operation:
//
//   using Forward = ...; using BackwardData = ...; using WeightUpdate = ...;   the operations of the passes
//   static ConvProblem problem(const Forward::Problem&);                       the problem as a convolution
//   static constexpr auto pack = ..., unpack = ...;                            for plain activations: conv_pack.hpp
#pragma once
#include <algorithm>
#include <vector>

#include "experiments/operations/ours/our_loops.hpp"
#include "experiments/operations/ours/ranked_loops.hpp"
#include "experiments/search/conv_plan_neighbours.hpp"
#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/backward/conv_backward_variants.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/conv_variants.hpp"
#include "primitives/conv/update/conv_update_variants.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"

namespace brickwork {

template <class Layers>
struct ForwardPass : Layers {
  using Op = typename Layers::Forward;
  using Plan = ConvPlan;
  using Driver = ConvForward;
  class Prepared;

  static Plan parse(std::string_view text) { return parse_conv_plan(text); }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend backend) {
    return plan_conv_forward(p, machine, backend);
  }
  static PlanVariants<Plan> variants(const ConvProblem& p, const MachineModel& machine, Backend backend) {
    return conv_variants(forward_view(p), machine, backend);
  }
  static PlanRuns<Plan> runs(const ConvProblem& p, const RunSetting& on, SharedTensors& tensors) {
    return conv_forward_runs(p, on, tensors);
  }
  static std::vector<Plan> neighbours(const ConvProblem& p, const Plan& plan) { return conv_plan_neighbours(p, plan); }
};

template <class Layers>
class ForwardPass<Layers>::Prepared final : public PreparedLoops<ConvForward> {
 public:
  Prepared(const PlainTensors& plain, ConvForward conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        src_(driver_.src_layout().size()),
        weights_(driver_.weights_layout().size()),
        dst_(driver_.dst_layout().size()),
        bias_(plain.at<float>("bias") ? driver_.dst_layout().Cb() * driver_.dst_layout().bc : 0),
        residual_(plain.at<float>("residual") ? driver_.dst_layout().size() : 0) {}

  void pack() override {
    Layers::pack(driver_.src_layout(), plain_.at<float>("src"), src_.data());
    pack_kcrs(driver_.weights_layout(), plain_.at<float>("weights"), weights_.data());
    if (bias_.size() > 0) std::copy_n(plain_.at<float>("bias"), driver_.dst_layout().C, bias_.data());
    if (residual_.size() > 0) Layers::pack(driver_.dst_layout(), plain_.at<float>("residual"), residual_.data());
  }
  void run() override { driver_.run(src_.data(), weights_.data(), bias_.data(), residual_.data(), dst_.data()); }
  void unpack(PlainTensors& out) override { Layers::unpack(driver_.dst_layout(), dst_.data(), out.at<float>("dst")); }

 private:
  AlignedBuffer<float> src_, weights_, dst_, bias_, residual_;
};

template <class Layers>
struct BackwardDataPass : Layers {
  using Op = typename Layers::BackwardData;
  using Plan = ConvBackwardPlan;
  using Driver = ConvBackwardData;
  class Prepared;

  static Plan parse(std::string_view text) { return parse_conv_backward_plan(text); }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend backend) {
    return plan_conv_backward_data(p, machine, backend);
  }
  static PlanVariants<Plan> variants(const ConvProblem& p, const MachineModel& machine, Backend backend) {
    return conv_backward_variants(p, machine, backend);
  }
  static PlanRuns<Plan> runs(const ConvProblem& p, const RunSetting& on, SharedTensors& tensors) {
    return conv_backward_runs(p, on, tensors);
  }
};

template <class Layers>
class BackwardDataPass<Layers>::Prepared final : public PreparedLoops<ConvBackwardData> {
 public:
  Prepared(const PlainTensors& plain, ConvBackwardData conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        ddst_(driver_.ddst_layout().size()),
        weights_(driver_.weights_size()),
        dsrc_(driver_.dsrc_layout().size()),
        residual_(plain.at<float>("residual") ? dsrc_.size() : 0),
        at_(plain.at<float>("at") ? dsrc_.size() : 0) {}

  void pack() override {
    Layers::pack(driver_.ddst_layout(), plain_.at<float>("ddst"), ddst_.data());
    driver_.pack_weights(plain_.at<float>("weights"), weights_.data());
    if (residual_.size() > 0) Layers::pack(driver_.dsrc_layout(), plain_.at<float>("residual"), residual_.data());
    if (at_.size() > 0) Layers::pack(driver_.dsrc_layout(), plain_.at<float>("at"), at_.data());
  }
  void run() override { driver_.run(ddst_.data(), weights_.data(), residual_.data(), at_.data(), dsrc_.data()); }
  void unpack(PlainTensors& out) override {
    Layers::unpack(driver_.dsrc_layout(), dsrc_.data(), out.at<float>("dsrc"));
  }

 private:
  AlignedBuffer<float> ddst_, weights_, dsrc_, residual_, at_;
};

template <class Layers>
struct WeightUpdatePass : Layers {
  using Op = typename Layers::WeightUpdate;
  using Plan = ConvUpdatePlan;
  using Driver = ConvWeightUpdate;
  class Prepared;

  static Plan parse(std::string_view text) { return parse_conv_update_plan(text); }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend) { return plan_conv_update(p, machine); }
  static PlanVariants<Plan> variants(const ConvProblem& p, const MachineModel& machine, Backend) {
    return conv_update_variants(p, machine);
  }
  static PlanRuns<Plan> runs(const ConvProblem& p, const RunSetting& on, SharedTensors& tensors) {
    return conv_update_runs(p, on, tensors);
  }
};

template <class Layers>
class WeightUpdatePass<Layers>::Prepared final : public PreparedLoops<ConvWeightUpdate> {
 public:
  Prepared(const PlainTensors& plain, ConvWeightUpdate conv, std::string tuning, std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        src_(driver_.src_layout().size()),
        ddst_(driver_.ddst_layout().size()),
        dweights_(driver_.dweights_layout().size()),
        dbias_(driver_.dbias_size()) {}

  void pack() override {
    Layers::pack(driver_.src_layout(), plain_.at<float>("src"), src_.data());
    Layers::pack(driver_.ddst_layout(), plain_.at<float>("ddst"), ddst_.data());
  }
  void run() override { driver_.run(src_.data(), ddst_.data(), dweights_.data(), dbias_.data()); }
  void unpack(PlainTensors& out) override {
    unpack_kcrs(driver_.dweights_layout(), dweights_.data(), out.at<float>("dweights"));
    if (dbias_.size() > 0) std::copy_n(dbias_.data(), driver_.ddst_layout().C, out.at<float>("dbias"));
  }

 private:
  AlignedBuffer<float> src_, ddst_, dweights_, dbias_;
};

// Our loops around each backend of the brick, then the libraries.
template <class Pass>
std::vector<Contender<typename Pass::Op>> our_loops_and(std::vector<Contender<typename Pass::Op>> libraries,
                                                        const Options& o) {
  std::vector<Contender<typename Pass::Op>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(o.plan_choice == PlanChoice::rule ? planned_loops<Pass>(backend, o)
                                                           : analysed_loops<Pass>(backend, o));
    add_other_plans<Pass>(contenders, backend, o);
  }
  contenders.insert(contenders.end(), libraries.begin(), libraries.end());
  return contenders;
}

}  // namespace brickwork
