// The experiments of brickwork-pytorch: recurrent layers and whole networks by PyTorch, for the contender that
// brickwork measures in that process (baselines/elsewhere/pytorch_elsewhere.hpp). It has brickwork's command line.
#include <vector>

#include "baselines/pytorch/pytorch_rnn.hpp"
#include "baselines/pytorch/pytorch_training.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/residual_network.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"

namespace brickwork {
namespace {

template <auto kContender>
ExperimentEntry by_pytorch(std::string_view name) {
  return {.name = name, .about = "by PyTorch", .make = [](const Request& request) {
            return make_experiment(request, std::vector{kContender()});
          }};
}

}  // namespace

// The experiments of brickwork's table in which this contender runs.
std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      resnet_training(by_pytorch<pytorch::network<ResidualNetwork>>("resnet50-step")),
      mlp_training(by_pytorch<pytorch::network<MlpProblem>>("mlp")),
      rnn_pass(by_pytorch<pytorch::rnn_inference>("rnn-inference")),
      rnn_pass(by_pytorch<pytorch::rnn_forward>("rnn-forward")),
      rnn_pass(by_pytorch<pytorch::rnn_backward>("rnn-backward")),
  };
  return table;
}

}  // namespace brickwork
