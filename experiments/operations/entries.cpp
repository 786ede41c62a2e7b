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
#include "primitives/rnn/op/rnn_problem.hpp"

namespace brickwork {
namespace {

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
  entry.shapes = "resnet50";
  entry.sample = "N1 C64 K64 H14";
  entry.minibatch = 28;
  entry.kind = shape_kind<ConvProblem>;
  entry.takes_epilogue = true;
  return layers_pass(entry);
}

ExperimentEntry fc_pass(ExperimentEntry entry) {
  entry.shapes = "fc";
  entry.sample = "N1 C64 K64";
  entry.minibatch = 1344;
  entry.kind = shape_kind<FcProblem>;
  entry.takes_epilogue = true;
  return layers_pass(entry);
}

ExperimentEntry rnn_pass(ExperimentEntry entry) {
  entry.shapes = "rnn";
  entry.sample = "T4 N8 C64";
  entry.minibatch = 168;
  entry.kind = shape_kind<RnnProblem>;
  return layers_pass(entry);
}

ExperimentEntry attention_pass(ExperimentEntry entry) {
  entry.shapes = "attention";
  entry.sample = "T4 S5 N8 K64";
  entry.minibatch = 128;
  entry.kind = shape_kind<AttentionProblem>;
  return layers_pass(entry);
}

ExperimentEntry add_pass(ExperimentEntry entry) {
  entry.shapes = "resnet50-additions";
  entry.sample = "E1000";
  entry.minibatch = 28;
  entry.kind = shape_kind<AddProblem>;
  return layers_pass(entry);
}

ExperimentEntry norm_pass(ExperimentEntry entry) {
  entry.shapes = "resnet50-norm";
  entry.sample = "C64 H14 relu";
  entry.minibatch = 28;
  entry.kind = shape_kind<BatchNormProblem>;
  return layers_pass(entry);
}

ExperimentEntry pool_pass(ExperimentEntry entry) {
  entry.shapes = "resnet50-pool";
  entry.sample = "C64 H14 R3 sh2 ph1";
  entry.minibatch = 28;
  entry.kind = shape_kind<PoolProblem>;
  return layers_pass(entry);
}

ExperimentEntry kernel_alone(ExperimentEntry entry) {
  entry.figure = "sweep";
  entry.shapes = "brgemm";
  entry.sample = "m8 n16 k64 batch4";
  entry.kind = shape_kind<BrgemmProblem>;
  return entry;
}

ExperimentEntry resnet_training(ExperimentEntry entry) {
  entry.shapes = "resnet50-step";
  entry.sample = "N2 L14 H64";  // a normalisation over fewer values would be one of rounding errors
  entry.minibatch = 4;
  entry.kind = shape_kind<ResidualNetwork>;
  return whole_network(entry);
}

ExperimentEntry mlp_training(ExperimentEntry entry) {
  entry.shapes = "mlp";
  entry.sample = "N4 C64 L2";
  entry.minibatch = 1344;
  entry.kind = shape_kind<MlpProblem>;
  return whole_network(entry);
}

ExperimentEntry gnmt_layers_training(ExperimentEntry entry) {
  entry.shapes = "gnmt";
  entry.sample = "T3 S4 N4 K32";
  entry.minibatch = 64;
  entry.kind = shape_kind<GnmtProblem>;
  return whole_network(entry);
}

ExperimentEntry on_gpu(ExperimentEntry entry) {
  entry.takes_plan = false;
  entry.takes_dtype = true;
  return entry;
}

}  // namespace brickwork
