#include "experiments.hpp"

#include "add_problem.hpp"
#include "attention_problem.hpp"
#include "batch_norm_problem.hpp"
#include "brgemm_league_problem.hpp"
#include "conv_problem.hpp"
#include "fc_problem.hpp"
#include "gnmt_problem.hpp"
#include "mlp_problem.hpp"
#include "pool_problem.hpp"
#include "residual_network.hpp"
#include "rnn_problem.hpp"
#include "sgd_op.hpp"
#include "softmax_loss_ops.hpp"

namespace brickwork {

// Each has one in <name>_experiment.cpp, the passes of an operation in <operation>_experiment.cpp.
std::unique_ptr<Experiment> conv_forward_experiment(const Request&);
std::unique_ptr<Experiment> conv_backward_experiment(const Request&);
std::unique_ptr<Experiment> conv_update_experiment(const Request&);
std::unique_ptr<Experiment> fc_forward_experiment(const Request&);
std::unique_ptr<Experiment> fc_backward_experiment(const Request&);
std::unique_ptr<Experiment> fc_update_experiment(const Request&);
std::unique_ptr<Experiment> brgemm_experiment(const Request&);
std::unique_ptr<Experiment> add_experiment(const Request&);
std::unique_ptr<Experiment> add_backward_experiment(const Request&);
std::unique_ptr<Experiment> sgd_experiment(const Request&);
std::unique_ptr<Experiment> batch_norm_forward_experiment(const Request&);
std::unique_ptr<Experiment> batch_norm_inference_experiment(const Request&);
std::unique_ptr<Experiment> batch_norm_backward_experiment(const Request&);
std::unique_ptr<Experiment> pool_forward_experiment(const Request&);
std::unique_ptr<Experiment> pool_backward_experiment(const Request&);
std::unique_ptr<Experiment> softmax_loss_experiment(const Request&);
std::unique_ptr<Experiment> softmax_loss_backward_experiment(const Request&);
std::unique_ptr<Experiment> gpu_kernel_experiment(const Request&);
std::unique_ptr<Experiment> gpu_conv_forward_experiment(const Request&);
std::unique_ptr<Experiment> gpu_conv_backward_experiment(const Request&);
std::unique_ptr<Experiment> gpu_conv_update_experiment(const Request&);
std::unique_ptr<Experiment> gpu_fc_forward_experiment(const Request&);
std::unique_ptr<Experiment> gpu_fc_backward_experiment(const Request&);
std::unique_ptr<Experiment> gpu_fc_update_experiment(const Request&);
std::unique_ptr<Experiment> gpu_rnn_inference_experiment(const Request&);
std::unique_ptr<Experiment> gpu_rnn_forward_experiment(const Request&);
std::unique_ptr<Experiment> gpu_rnn_backward_experiment(const Request&);
std::unique_ptr<Experiment> rnn_inference_experiment(const Request&);
std::unique_ptr<Experiment> rnn_forward_experiment(const Request&);
std::unique_ptr<Experiment> rnn_backward_experiment(const Request&);
std::unique_ptr<Experiment> rnn_backward_data_experiment(const Request&);
std::unique_ptr<Experiment> rnn_update_experiment(const Request&);
std::unique_ptr<Experiment> attention_forward_experiment(const Request&);
std::unique_ptr<Experiment> attention_backward_experiment(const Request&);
std::unique_ptr<Experiment> resnet50_step_experiment(const Request&);
std::unique_ptr<Experiment> mlp_experiment(const Request&);
std::unique_ptr<Experiment> gnmt_stack_experiment(const Request&);

namespace {

// What experiments over a network's layers have in common.
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
  return layers_pass(entry);
}

ExperimentEntry fc_pass(ExperimentEntry entry) {
  entry.shapes = "fc";
  entry.sample = "N1 C64 K64";
  entry.minibatch = 1344;
  entry.kind = shape_kind<FcProblem>;
  return layers_pass(entry);
}

// On a GPU our loops take no plan of the command line.
ExperimentEntry on_gpu(ExperimentEntry entry) {
  entry.takes_plan = false;
  entry.takes_dtype = true;
  return entry;
}

ExperimentEntry gpu_conv_pass(ExperimentEntry entry) {
  entry = on_gpu(conv_pass(entry));
  entry.minibatch = 256;
  return entry;
}

ExperimentEntry gpu_fc_pass(ExperimentEntry entry) {
  entry = on_gpu(fc_pass(entry));
  entry.shapes = "gpu-fc";
  return entry;
}

ExperimentEntry rnn_pass(ExperimentEntry entry) {
  entry.shapes = "rnn";
  entry.sample = "T4 N8 C64";
  entry.minibatch = 168;
  entry.kind = shape_kind<RnnProblem>;
  return layers_pass(entry);
}

ExperimentEntry gpu_rnn_pass(ExperimentEntry entry) {
  entry = on_gpu(rnn_pass(entry));
  entry.takes_dtype = false;
  return entry;
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

ExperimentEntry softmax_loss_pass(ExperimentEntry entry) {
  entry.shapes = "classes";
  entry.sample = "N4 C100";
  entry.kind = shape_kind<SoftmaxLossProblem>;
  return layers_pass(entry);
}

ExperimentEntry whole_network(ExperimentEntry entry) {
  entry.figure = "parts";
  entry.takes_threads = true;
  return entry;
}

}  // namespace

std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      conv_pass({.name = "conv-forward",
                 .about = "convolution forward, a network's layers",
                 .takes_epilogue = true,
                 .make = conv_forward_experiment}),
      conv_pass({.name = "conv-backward",
                 .about = "convolution backward by data, a network's layers",
                 .takes_epilogue = true,
                 .make = conv_backward_experiment}),
      conv_pass({.name = "conv-update",
                 .about = "convolution's weight update, a network's layers",
                 .takes_epilogue = true,
                 .make = conv_update_experiment}),
      fc_pass({.name = "fc-forward",
               .about = "fully connected layers forward",
               .takes_epilogue = true,
               .make = fc_forward_experiment}),
      fc_pass({.name = "fc-backward",
               .about = "fully connected layers backward by data",
               .takes_epilogue = true,
               .make = fc_backward_experiment}),
      fc_pass({.name = "fc-update",
               .about = "fully connected layers' weight update",
               .takes_epilogue = true,
               .make = fc_update_experiment}),
      gpu_conv_pass({.name = "gpu-conv-forward",
                     .about = "convolution forward on a GPU, a network's layers",
                     .make = gpu_conv_forward_experiment}),
      gpu_conv_pass({.name = "gpu-conv-backward",
                     .about = "convolution backward by data on a GPU, a network's layers",
                     .make = gpu_conv_backward_experiment}),
      gpu_conv_pass({.name = "gpu-conv-update",
                     .about = "convolution's weight update on a GPU, a network's layers",
                     .make = gpu_conv_update_experiment}),
      gpu_fc_pass({.name = "gpu-fc-forward",
                   .about = "fully connected layers forward on a GPU",
                   .takes_epilogue = true,
                   .make = gpu_fc_forward_experiment}),
      gpu_fc_pass({.name = "gpu-fc-backward",
                   .about = "fully connected layers backward by data on a GPU",
                   .takes_epilogue = true,
                   .make = gpu_fc_backward_experiment}),
      gpu_fc_pass({.name = "gpu-fc-update",
                   .about = "fully connected layers' weight update on a GPU",
                   .takes_epilogue = true,
                   .make = gpu_fc_update_experiment}),
      gpu_rnn_pass({.name = "gpu-rnn-inference",
                    .about = "recurrent layers forward on a GPU, of which nothing is kept",
                    .make = gpu_rnn_inference_experiment}),
      gpu_rnn_pass({.name = "gpu-rnn-forward",
                    .about = "recurrent layers forward in training on a GPU",
                    .make = gpu_rnn_forward_experiment}),
      gpu_rnn_pass({.name = "gpu-rnn-backward",
                    .about = "recurrent layers back through time on a GPU: all gradients",
                    .make = gpu_rnn_backward_experiment}),
      rnn_pass({.name = "rnn-inference",
                .about = "recurrent layers forward, of which nothing is kept",
                .make = rnn_inference_experiment}),
      rnn_pass({.name = "rnn-forward",
                .about = "recurrent layers forward in training, which keeps what backward needs",
                .make = rnn_forward_experiment}),
      rnn_pass({.name = "rnn-backward",
                .about = "recurrent layers back through time: all gradients",
                .make = rnn_backward_experiment}),
      rnn_pass({.name = "rnn-backward-data",
                .about = "recurrent layers back through time: the gradients of x and the states",
                .make = rnn_backward_data_experiment}),
      rnn_pass({.name = "rnn-update", .about = "recurrent layers' weight update", .make = rnn_update_experiment}),
      attention_pass({.name = "attention-forward",
                      .about = "attention of decoder states over encoder states, in training",
                      .make = attention_forward_experiment}),
      attention_pass({.name = "attention-backward",
                      .about = "attention backward: the gradients of queries, keys and values",
                      .make = attention_backward_experiment}),
      {.name = "brgemm",
       .about = "the kernel itself on one core",
       .figure = "sweep",
       .shapes = "brgemm",
       .sample = "m8 n16 k64 batch4",
       .kind = shape_kind<BrgemmProblem>,
       .make = brgemm_experiment},
      {.name = "gpu-kernel",
       .about = "the kernel itself on a GPU, a call for each block of threads",
       .figure = "sweep",
       .shapes = "gpu-kernel",
       .sample = "tasks2 m64 n64 k64 batch4",
       .takes_dtype = true,
       .kind = shape_kind<BrgemmLeagueProblem>,
       .make = gpu_kernel_experiment},
      add_pass({.name = "add",
                .about = "residual addition with its ReLU, bound by the memory",
                .takes_epilogue = true,
                .make = add_experiment}),
      add_pass({.name = "add-backward",
                .about = "the derivative of a residual addition's ReLU, bound by the memory",
                .make = add_backward_experiment}),
      layers_pass(
          {.name = "sgd",
           .about = "gradient descent with momentum and weight decay, a network's parameters, bound by the memory",
           .shapes = "networks-parameters",
           .sample = "P1000",
           .kind = shape_kind<SgdProblem>,
           .make = sgd_experiment}),
      norm_pass({.name = "batch-norm-forward",
                 .about = "batch normalisation in training, a network's layers",
                 .make = batch_norm_forward_experiment}),
      norm_pass({.name = "batch-norm-inference",
                 .about = "batch normalisation with given statistics, a network's layers",
                 .make = batch_norm_inference_experiment}),
      norm_pass({.name = "batch-norm-backward",
                 .about = "batch normalisation backward, a network's layers",
                 .make = batch_norm_backward_experiment}),
      pool_pass({.name = "pool-forward",
                 .about = "max and average pooling, a network's layers",
                 .make = pool_forward_experiment}),
      pool_pass({.name = "pool-backward",
                 .about = "max and average pooling backward, a network's layers",
                 .make = pool_backward_experiment}),
      softmax_loss_pass({.name = "softmax-loss",
                         .about = "softmax and cross-entropy, the mean loss, bound by the memory",
                         .make = softmax_loss_experiment}),
      softmax_loss_pass({.name = "softmax-loss-backward",
                         .about = "the gradient of softmax and cross-entropy, bound by the memory",
                         .make = softmax_loss_backward_experiment}),
      whole_network({.name = "resnet50-step",
                     .about = "a step of training ResNet-50, and its parts",
                     .shapes = "resnet50-step",
                     .sample = "N2 L14 H64",  // a normalisation over fewer values would be one of rounding errors
                     .minibatch = 4,
                     .kind = shape_kind<ResidualNetwork>,
                     .make = resnet50_step_experiment}),
      whole_network({.name = "mlp",
                     .about = "a step of training multilayer perceptrons, and its parts",
                     .shapes = "mlp",
                     .sample = "N4 C64 L2",
                     .minibatch = 1344,
                     .kind = shape_kind<MlpProblem>,
                     .make = mlp_experiment}),
      whole_network(
          {.name = "gnmt-stack",
           .about = "GNMT's recurrent layers, attention and residual additions: a step of training and inference",
           .shapes = "gnmt",
           .sample = "T3 S4 N4 K32",
           .minibatch = 64,
           .kind = shape_kind<GnmtProblem>,
           .make = gnmt_stack_experiment}),
  };
  return table;
}

}  // namespace brickwork
