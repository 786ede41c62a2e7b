// conv-backward: a network's convolutions backward by data, our loops around each backend of the brick beside the
// libraries.
#include "aligned_buffer.hpp"
#include "conv/conv_backward_data.hpp"
#include "conv/conv_pack.hpp"
#include "conv_baselines.hpp"
#include "experiment_of.hpp"
#include "onednn_latest.hpp"
#include "our_loops.hpp"

namespace brickwork {
namespace {

struct BackwardData {
  using Op = ConvBackwardDataOp;
  using Plan = ConvPlan;
  using Driver = ConvBackwardData;
  class Prepared;

  static Plan parse(std::string_view text) { return parse_conv_plan(text); }
  static Plan rule(const ConvProblem& p, const MachineModel& machine, Backend backend) {
    return plan_conv_backward_data(p, machine, backend);
  }
};

class BackwardData::Prepared final : public PreparedLoops<ConvBackwardData> {
 public:
  Prepared(const ConvProblem&, const PlainTensors& plain, ConvBackwardData conv, std::string tuning,
           std::string implementation)
      : PreparedLoops(plain, std::move(conv), std::move(tuning), std::move(implementation)),
        ddst_(driver_.ddst_layout().size()),
        weights_(driver_.weights_size()),
        dsrc_(driver_.dsrc_layout().size()) {}

  void pack() override {
    pack_nchw(driver_.ddst_layout(), plain_.at<float>("ddst"), ddst_.data());
    driver_.pack_weights(plain_.at<float>("weights"), weights_.data());
  }
  void run() override { driver_.run(ddst_.data(), weights_.data(), dsrc_.data()); }
  void unpack(PlainTensors& out) override { unpack_nchw(driver_.dsrc_layout(), dsrc_.data(), out.at<float>("dsrc")); }

 private:
  AlignedBuffer<float> ddst_, weights_, dsrc_;
};

}  // namespace

std::unique_ptr<Experiment> conv_backward_experiment(const Request& request) {
  std::vector<Contender<ConvBackwardDataOp>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(planned_loops<BackwardData>(backend, request.options));
  }
  for (const auto& library : {onednn_conv_backward_data(), onednn_latest("onednn-latest", onednn_conv_backward_data()),
                              libxsmm_dnn_conv_backward_data(), col2im_conv_backward_data()}) {
    contenders.push_back(library);
  }
  return make_experiment<ConvBackwardDataOp>(request, std::move(contenders));
}

}  // namespace brickwork
