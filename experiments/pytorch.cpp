// The experiments of brickwork-pytorch: recurrent layers and whole networks by PyTorch, for the contender that
// brickwork measures in that process (baselines/pytorch_elsewhere.hpp). It has brickwork's command line.
#include "experiment_of.hpp"
#include "experiments.hpp"
#include "mlp_problem.hpp"
#include "pytorch_rnn.hpp"
#include "pytorch_training.hpp"
#include "residual_network.hpp"
#include "rnn_ops.hpp"

namespace brickwork {
namespace {

template <class Problem>
ExperimentEntry networks(std::string_view name, std::string_view about, std::string_view sample,
                         std::int64_t minibatch) {
  return {.name = name,
          .about = about,
          .figure = "parts",
          .shapes = name,
          .sample = sample,
          .minibatch = minibatch,
          .takes_threads = true,
          .kind = shape_kind<Problem>,
          .make = [](const Request& request) -> std::unique_ptr<Experiment> {
            return make_experiment<NetworkTrainingOp<Problem>>(request, {pytorch::network<Problem>()});
          }};
}

template <Operation Op, Contender<Op> (*kContender)()>
ExperimentEntry recurrent_layers(std::string_view name, std::string_view about) {
  return {.name = name,
          .about = about,
          .figure = "layers",
          .shapes = "rnn",
          .sample = "T4 N8 C64",
          .minibatch = 168,
          .takes_threads = true,
          .kind = shape_kind<RnnProblem>,
          .make = [](const Request& request) -> std::unique_ptr<Experiment> {
            return make_experiment<Op>(request, {kContender()});
          }};
}

}  // namespace

// Those of brickwork's table that have this contender.
std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      networks<ResidualNetwork>("resnet50-step", "a step of training ResNet-50, and its parts", "N1 L14 H32", 4),
      networks<MlpProblem>("mlp", "a step of training multilayer perceptrons, and its parts", "N4 C64 L2", 1344),
      recurrent_layers<RnnInferenceOp, pytorch::rnn_inference>("rnn-inference",
                                                               "recurrent layers forward, of which nothing is kept"),
      recurrent_layers<RnnForwardOp, pytorch::rnn_forward>(
          "rnn-forward", "recurrent layers forward in training, which keeps what backward needs"),
      recurrent_layers<RnnBackwardOp, pytorch::rnn_backward>("rnn-backward",
                                                             "recurrent layers back through time: all gradients"),
  };
  return table;
}

}  // namespace brickwork
