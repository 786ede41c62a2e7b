// rnn-inference, rnn-forward, rnn-backward and its parts: recurrent layers, our loops around each backend of the brick
// beside the libraries.
#include <fmt/format.h>

#include "experiment_of.hpp"
#include "onednn_latest.hpp"
#include "our_loops.hpp"
#include "pytorch_elsewhere.hpp"
#include "rnn/rnn.hpp"
#include "rnn_baselines.hpp"

namespace brickwork {
namespace {

// What the passes have in common.
class PreparedRnn : public PreparedLoops<Rnn> {
 public:
  using PreparedLoops::PreparedLoops;

  void pack() override {
    driver_.set_x(plain_.at<float>("x"));
    driver_.set_states(plain_.at<float>("h0"), plain_.at<float>("c0"));
    driver_.set_lengths(plain_.at<std::int32_t>("lengths"));
    for (std::int64_t l = 0; l < driver_.problem().L; ++l) {
      const auto weights = [&](const char* name) { return plain_.at<float>(fmt::format("{}.{}", name, l)); };
      driver_.set_weights(l, weights("weights_layer"), weights("weights_iter"), weights("bias"));
    }
  }
};

class PreparedForward final : public PreparedRnn {
 public:
  using PreparedRnn::PreparedRnn;

  void run() override { driver_.run(); }
  void unpack(PlainTensors& out) override {
    driver_.get_y(out.at<float>("y"));
    driver_.get_states(out.at<float>("hT"), out.at<float>("cT"));
  }
};

// By data, the weight update, or both. Forward runs when it packs, and before an update what it needs of the other.
template <bool kData, bool kUpdate>
class PreparedBackward final : public PreparedRnn {
 public:
  using PreparedRnn::PreparedRnn;

  void pack() override {
    PreparedRnn::pack();
    driver_.run();
    driver_.set_gradients(plain_.at<float>("dy"), plain_.at<float>("dhT"), plain_.at<float>("dcT"));
    if (!kData) driver_.run_backward_data();
  }
  void run() override {
    if (kData) driver_.run_backward_data();
    if (kUpdate) driver_.run_weight_update();
  }
  void unpack(PlainTensors& out) override {
    if (kData) driver_.get_data_gradients(out.at<float>("dx"), out.at<float>("dh0"), out.at<float>("dc0"));
    for (std::int64_t l = 0; kUpdate && l < driver_.problem().L; ++l) {
      const auto gradient = [&](const char* name) { return out.at<float>(fmt::format("{}.{}.gradient", name, l)); };
      driver_.get_weight_gradients(l, gradient("weights_layer"), gradient("weights_iter"), gradient("bias"));
    }
  }
};

template <class AnOp, RnnUse kUse, class APrepared>
struct RnnPass {
  using Op = AnOp;
  using Plan = RnnPlan;
  using Driver = Rnn;
  using Prepared = APrepared;

  static RnnWork problem(const RnnProblem& p) { return {p, kUse}; }
  static Plan parse(std::string_view text) { return parse_rnn_plan(text); }
  static Plan rule(const RnnWork& work, const MachineModel& machine, Backend) {
    return plan_rnn(work.problem, machine);
  }
};

template <class Op, class Prepared>
using RnnTraining = RnnPass<Op, RnnUse::training, Prepared>;

template <class Pass>
std::unique_ptr<Experiment> rnn_experiment(const Request& request,
                                           const std::vector<Contender<typename Pass::Op>>& libraries) {
  return make_experiment(request, all_backends_and(planned_loops<Pass>, libraries, request.options));
}

}  // namespace

std::unique_ptr<Experiment> rnn_inference_experiment(const Request& request) {
  return rnn_experiment<RnnPass<RnnInferenceOp, RnnUse::inference, PreparedForward>>(
      request, {onednn_rnn_inference(), onednn_latest("onednn-latest", onednn_rnn_inference()),
                libxsmm_dnn_rnn_inference(), openblas_rnn_inference(), pytorch_elsewhere<RnnInferenceOp>()});
}

std::unique_ptr<Experiment> rnn_forward_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnForwardOp, PreparedForward>>(
      request, {onednn_rnn_forward(), onednn_latest("onednn-latest", onednn_rnn_forward()), libxsmm_dnn_rnn_forward(),
                openblas_rnn_forward(), pytorch_elsewhere<RnnForwardOp>()});
}

std::unique_ptr<Experiment> rnn_backward_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnBackwardOp, PreparedBackward<true, true>>>(
      request, {onednn_rnn_backward(), onednn_latest("onednn-latest", onednn_rnn_backward()),
                libxsmm_dnn_rnn_backward(), openblas_rnn_backward(), pytorch_elsewhere<RnnBackwardOp>()});
}

std::unique_ptr<Experiment> rnn_backward_data_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnBackwardDataOp, PreparedBackward<true, false>>>(
      request, {onednn_rnn_backward_data(), libxsmm_dnn_rnn_backward_data(), openblas_rnn_backward_data()});
}

std::unique_ptr<Experiment> rnn_update_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnWeightUpdateOp, PreparedBackward<false, true>>>(
      request, {onednn_rnn_weight_update(), libxsmm_dnn_rnn_weight_update(), openblas_rnn_weight_update()});
}

}  // namespace brickwork
