// conv-update: a network's convolutions' weight updates, our loops around each backend of the brick beside the
// libraries.
#include "aligned_buffer.hpp"
#include "conv/conv_pack.hpp"
#include "conv/conv_weight_update.hpp"
#include "conv_baselines.hpp"
#include "experiment_of.hpp"
#include "onednn_latest.hpp"
#include "our_loops.hpp"

namespace brickwork {
namespace {

struct WeightUpdate {
  using Op = ConvWeightUpdateOp;
  using Plan = ConvUpdatePlan;
  using Driver = ConvWeightUpdate;
  class Prepared;

  static Plan parse(std::string_view text) { return parse_conv_update_plan(text); }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend) { return plan_conv_update(p, machine); }
};

class WeightUpdate::Prepared final : public PreparedLoops<ConvWeightUpdate> {
 public:
  Prepared(const ConvProblem&, const PlainTensors& plain, ConvWeightUpdate conv, std::string tuning,
           std::string implementation)
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

}  // namespace

std::unique_ptr<Experiment> conv_update_experiment(const Request& request) {
  std::vector<Contender<ConvWeightUpdateOp>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(planned_loops<WeightUpdate>(backend, request.options));
  }
  for (const auto& library : {onednn_conv_weight_update(), onednn_latest("onednn-latest", onednn_conv_weight_update()),
                              libxsmm_dnn_conv_weight_update(), im2col_conv_weight_update()}) {
    contenders.push_back(library);
  }
  return make_experiment<ConvWeightUpdateOp>(request, std::move(contenders));
}

}  // namespace brickwork
