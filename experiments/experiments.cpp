#include "experiments.hpp"

#include "brgemm_problem.hpp"
#include "conv_problem.hpp"

namespace brickwork {

// <name>_experiment.cpp has one of these.
std::unique_ptr<Experiment> conv_forward_experiment(const Request&);
std::unique_ptr<Experiment> conv_backward_experiment(const Request&);
std::unique_ptr<Experiment> conv_update_experiment(const Request&);
std::unique_ptr<Experiment> brgemm_experiment(const Request&);

std::span<const ExperimentEntry> experiment_table() {
  static const ExperimentEntry table[] = {
      {.name = "conv-forward",
       .about = "convolution forward, a network's layers",
       .figure = "layers",
       .shapes = "resnet50",
       .sample = "N1 C64 K64 H14",
       .minibatch = 28,
       .takes_threads = true,
       .takes_epilogue = true,
       .takes_plan = true,
       .kind = shape_kind<ConvProblem>,
       .make = conv_forward_experiment},
      {.name = "conv-backward",
       .about = "convolution backward by data, a network's layers",
       .figure = "layers",
       .shapes = "resnet50",
       .sample = "N1 C64 K64 H14",
       .minibatch = 28,
       .takes_threads = true,
       .takes_plan = true,
       .kind = shape_kind<ConvProblem>,
       .make = conv_backward_experiment},
      {.name = "conv-update",
       .about = "convolution's weight update, a network's layers",
       .figure = "layers",
       .shapes = "resnet50",
       .sample = "N1 C64 K64 H14",
       .minibatch = 28,
       .takes_threads = true,
       .takes_plan = true,
       .kind = shape_kind<ConvProblem>,
       .make = conv_update_experiment},
      {.name = "brgemm",
       .about = "the kernel itself on one core",
       .figure = "sweep",
       .shapes = "brgemm",
       .sample = "m8 n16 k64 batch4",
       .kind = shape_kind<BrgemmProblem>,
       .make = brgemm_experiment},
  };
  return table;
}

}  // namespace brickwork
