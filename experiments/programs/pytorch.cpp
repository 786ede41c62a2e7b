// The experiments of brickwork-pytorch: recurrent layers, recursive models and whole networks by PyTorch, for the
// contenders that brickwork measures in that process (baselines/elsewhere/pytorch_elsewhere.hpp). It has brickwork's
// command line.
#include <vector>

#include "baselines/pytorch/pytorch_recursive.hpp"
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

template <auto... kContenders>
ExperimentEntry by_pytorch(std::string_view name) {
  return {.name = name, .about = "by PyTorch", .make = [](const Request& request) {
            return make_experiment(request, std::vector{kContenders()...});
          }};
}

template <Operation Op>
ExperimentEntry recursive_by_pytorch(std::string_view name) {
  return recursive_pass(by_pytorch<pytorch::recursion<Op>, pytorch::recursive_levels<Op>>(name));
}

}  // namespace

// The experiments of brickwork's table in which these contenders run.
std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      resnet_training(by_pytorch<pytorch::network<ResidualNetwork>>("resnet50-step")),
      mlp_training(by_pytorch<pytorch::network<MlpProblem>>("mlp")),
      rnn_pass(by_pytorch<pytorch::rnn_inference>("rnn-inference")),
      rnn_pass(by_pytorch<pytorch::rnn_forward>("rnn-forward")),
      rnn_pass(by_pytorch<pytorch::rnn_backward>("rnn-backward")),
      recursive_by_pytorch<RecursiveInferenceOp>("recursive-inference"),
      recursive_by_pytorch<RecursiveTrainingOp>("recursive-training"),
  };
  return table;
}

}  // namespace brickwork
