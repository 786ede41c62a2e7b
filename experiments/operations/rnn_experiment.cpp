// rnn-inference, rnn-forward, rnn-backward and its parts: recurrent layers. Compares our loops around each backend of
// the brick with the libraries.
#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/elsewhere/pytorch_elsewhere.hpp"
#include "baselines/rnn_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_loops.hpp"
#include "experiments/operations/ours/prepared_rnn.hpp"

namespace brickwork {
namespace {

using Loops = PreparedLoops<Rnn>;

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

std::unique_ptr<Experiment> rnn_inference_experiment(const Request& request) {
  return rnn_experiment<RnnPass<RnnInferenceOp, RnnUse::inference, PreparedRnnForward<Loops>>>(
      request, {onednn_rnn_inference(), onednn_latest("onednn-latest", onednn_rnn_inference()),
                libxsmm_dnn_rnn_inference(), openblas_rnn_inference(), pytorch_elsewhere<RnnInferenceOp>()});
}

std::unique_ptr<Experiment> rnn_forward_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnForwardOp, PreparedRnnForward<Loops>>>(
      request, {onednn_rnn_forward(), onednn_latest("onednn-latest", onednn_rnn_forward()), libxsmm_dnn_rnn_forward(),
                openblas_rnn_forward(), pytorch_elsewhere<RnnForwardOp>()});
}

std::unique_ptr<Experiment> rnn_backward_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnBackwardOp, PreparedRnnBackward<Loops, true, true>>>(
      request, {onednn_rnn_backward(), onednn_latest("onednn-latest", onednn_rnn_backward()),
                libxsmm_dnn_rnn_backward(), openblas_rnn_backward(), pytorch_elsewhere<RnnBackwardOp>()});
}

std::unique_ptr<Experiment> rnn_backward_data_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnBackwardDataOp, PreparedRnnBackward<Loops, true, false>>>(
      request, {onednn_rnn_backward_data(), libxsmm_dnn_rnn_backward_data(), openblas_rnn_backward_data()});
}

std::unique_ptr<Experiment> rnn_update_experiment(const Request& request) {
  return rnn_experiment<RnnTraining<RnnWeightUpdateOp, PreparedRnnBackward<Loops, false, true>>>(
      request, {onednn_rnn_weight_update(), libxsmm_dnn_rnn_weight_update(), openblas_rnn_weight_update()});
}

}  // namespace

std::span<const ExperimentEntry> rnn_experiments() {
  static const ExperimentEntry entries[] = {
      rnn_pass({.name = "rnn-inference",
                .about = "recurrent layers, forward in inference",
                .make = rnn_inference_experiment}),
      rnn_pass({.name = "rnn-forward",
                .about = "recurrent layers, forward in training (keeps what backward needs)",
                .make = rnn_forward_experiment}),
      rnn_pass({.name = "rnn-backward",
                .about = "recurrent layers, backward: all gradients",
                .make = rnn_backward_experiment}),
      rnn_pass({.name = "rnn-backward-data",
                .about = "recurrent layers, backward by data: gradients of x and of the states",
                .make = rnn_backward_data_experiment}),
      rnn_pass({.name = "rnn-update", .about = "recurrent layers, weight update", .make = rnn_update_experiment}),
  };
  return entries;
}

}  // namespace brickwork
