#include "experiments/operations/experiments.hpp"

#include <vector>

namespace brickwork {

std::span<const ExperimentEntry> experiment_table() {
  static const std::vector<ExperimentEntry> table = [] {
    std::vector<ExperimentEntry> all;
    for (const auto of_operation :
         {conv_experiments(), fc_experiments(), gpu_conv_experiments(), gpu_fc_experiments(), gpu_rnn_experiments(),
          rnn_experiments(), recursive_experiments(), attention_experiments(), brgemm_experiments(),
          gpu_kernel_experiments(), add_experiments(), sgd_experiments(), batch_norm_experiments(), pool_experiments(),
          softmax_loss_experiments(), network_experiments(), gnmt_experiments()}) {
      all.insert(all.end(), of_operation.begin(), of_operation.end());
    }
    return all;
  }();
  return table;
}

}  // namespace brickwork
