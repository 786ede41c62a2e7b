#include "experiments.hpp"

#include "add_problem.hpp"
#include "brgemm_problem.hpp"
#include "conv_problem.hpp"
#include "fc_problem.hpp"
#include "sgd_op.hpp"

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

namespace {

// What the passes of convolution have in common.
ExperimentEntry conv_pass(ExperimentEntry entry) {
  entry.figure = "layers";
  entry.shapes = "resnet50";
  entry.sample = "N1 C64 K64 H14";
  entry.minibatch = 28;
  entry.takes_threads = true;
  entry.takes_plan = true;
  entry.kind = shape_kind<ConvProblem>;
  return entry;
}

// And those of fully connected layers.
ExperimentEntry fc_pass(ExperimentEntry entry) {
  entry.figure = "layers";
  entry.shapes = "fc";
  entry.sample = "N1 C64 K64";
  entry.minibatch = 1344;
  entry.takes_threads = true;
  entry.takes_plan = true;
  entry.kind = shape_kind<FcProblem>;
  return entry;
}

ExperimentEntry add_pass(ExperimentEntry entry) {
  entry.figure = "layers";
  entry.shapes = "resnet50-additions";
  entry.sample = "E1000";
  entry.minibatch = 28;
  entry.takes_threads = true;
  entry.takes_plan = true;
  entry.kind = shape_kind<AddProblem>;
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
                 .make = conv_backward_experiment}),
      conv_pass({.name = "conv-update",
                 .about = "convolution's weight update, a network's layers",
                 .make = conv_update_experiment}),
      fc_pass({.name = "fc-forward",
               .about = "fully connected layers forward",
               .takes_epilogue = true,
               .make = fc_forward_experiment}),
      fc_pass(
          {.name = "fc-backward", .about = "fully connected layers backward by data", .make = fc_backward_experiment}),
      fc_pass({.name = "fc-update", .about = "fully connected layers' weight update", .make = fc_update_experiment}),
      {.name = "brgemm",
       .about = "the kernel itself on one core",
       .figure = "sweep",
       .shapes = "brgemm",
       .sample = "m8 n16 k64 batch4",
       .kind = shape_kind<BrgemmProblem>,
       .make = brgemm_experiment},
      add_pass({.name = "add",
                .about = "residual addition with its ReLU, bound by the memory",
                .takes_epilogue = true,
                .make = add_experiment}),
      add_pass({.name = "add-backward",
                .about = "the derivative of a residual addition's ReLU, bound by the memory",
                .make = add_backward_experiment}),
      {.name = "sgd",
       .about = "gradient descent with momentum and weight decay, a network's parameters, bound by the memory",
       .figure = "layers",
       .shapes = "networks-parameters",
       .sample = "P1000",
       .takes_threads = true,
       .takes_plan = true,
       .kind = shape_kind<SgdProblem>,
       .make = sgd_experiment},
  };
  return table;
}

}  // namespace brickwork
