#include "experiments/operations/entries.hpp"

#include "primitives/add/op/add_problem.hpp"
#include "primitives/attention/op/attention_problem.hpp"
#include "primitives/batch_norm/op/batch_norm_problem.hpp"
#include "primitives/brgemm/op/brgemm_problem.hpp"
#include "primitives/conv/op/conv_problem.hpp"
#include "primitives/fc/op/fc_problem.hpp"
#include "primitives/gnmt/op/gnmt_problem.hpp"
#include "primitives/network/op/mlp_problem.hpp"
#include "primitives/network/op/residual_network.hpp"
#include "primitives/pool/op/pool_problem.hpp"
#include "primitives/recursive/op/recursive_problem.hpp"
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {
namespace {

// Sets the kind of problem, the default set of shapes, a small sample problem and the default minibatch.
template <class Problem>
ExperimentEntry on_problems(ExperimentEntry entry, std::string_view shapes, std::string_view sample,
                            std::int64_t minibatch = 0) {
  entry.kind = shape_kind<Problem>;
  entry.shapes = shapes;
  entry.sample = sample;
  entry.minibatch = minibatch;
  return entry;
}

ExperimentEntry whole_network(ExperimentEntry entry) {
  entry.figure = "parts";
  entry.takes_threads = true;
  return entry;
}

}  // namespace

ExperimentEntry layers_pass(ExperimentEntry entry) {
  entry.figure = "layers";
  entry.takes_threads = true;
  entry.takes_plan = true;
  return entry;
}

ExperimentEntry conv_pass(ExperimentEntry entry) {
  entry.takes_epilogue = true;
  return layers_pass(on_problems<ConvProblem>(entry, "resnet50", "N1 C64 K64 H14 R3 ph1", 28));
}

ExperimentEntry fc_pass(ExperimentEntry entry) {
  entry.takes_epilogue = true;
  return layers_pass(on_problems<FcProblem>(entry, "fc", "N1 C64 K64", 1344));
}

ExperimentEntry rnn_pass(ExperimentEntry entry) {
  return layers_pass(on_problems<RnnProblem>(entry, "rnn", "T4 N8 C64", 168));
}

ExperimentEntry recursive_pass(ExperimentEntry entry) {
  const std::string_view figure = entry.figure.empty() ? "latency" : entry.figure;
  entry = layers_pass(on_problems<RecursiveProblem>(entry, "recursive", "gru sequences H16 N2 S4"));
  entry.figure = figure;
  entry.takes_structures = true;
  return entry;
}

ExperimentEntry attention_pass(ExperimentEntry entry) {
  return layers_pass(on_problems<AttentionProblem>(entry, "attention", "T4 S5 N8 K64", 128));
}

ExperimentEntry add_pass(ExperimentEntry entry) {
  return layers_pass(on_problems<AddProblem>(entry, "resnet50-additions", "E1000", 28));
}

ExperimentEntry norm_pass(ExperimentEntry entry) {
  return layers_pass(on_problems<BatchNormProblem>(entry, "resnet50-norm", "C64 H14 relu", 28));
}

ExperimentEntry pool_pass(ExperimentEntry entry) {
  return layers_pass(on_problems<PoolProblem>(entry, "resnet50-pool", "C64 H14 R3 sh2 ph1", 28));
}

ExperimentEntry kernel_alone(ExperimentEntry entry) {
  entry.figure = "sweep";
  return on_problems<BrgemmProblem>(entry, "brgemm", "m8 n16 k64 batch4");
}

ExperimentEntry resnet_training(ExperimentEntry entry) {
  // In a smaller sample a batch normalisation would see too few values, and its result would be rounding errors.
  return whole_network(on_problems<ResidualNetwork>(entry, "resnet50-step", "N2 L14 H64", 4));
}

ExperimentEntry mlp_training(ExperimentEntry entry) {
  return whole_network(on_problems<MlpProblem>(entry, "mlp", "N4 C64 L2", 1344));
}

ExperimentEntry gnmt_layers_training(ExperimentEntry entry) {
  return whole_network(on_problems<GnmtProblem>(entry, "gnmt", "T3 S4 N4 K32", 64));
}

ExperimentEntry on_gpu(ExperimentEntry entry) {
  entry.takes_plan = false;
  entry.takes_dtype = true;
  return entry;
}

}  // namespace brickwork
