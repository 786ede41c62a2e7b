// recursive-inference, recursive-training: recursive models over minibatches of structures. Compares our driver around
// each backend of the brick with the libraries. recursive-ablation: our driver without each pass of its lowering.
#include <fmt/format.h>

#include "baselines/elsewhere/dynet_elsewhere.hpp"
#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/elsewhere/pytorch_elsewhere.hpp"
#include "baselines/recursive_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_loops.hpp"
#include "experiments/operations/ours/recursive_by_rnn.hpp"
#include "experiments/operations/ours/recursive_on_problem.hpp"

namespace brickwork {
namespace {

class PreparedRecursive : public PreparedLoops<RecursiveOnProblem> {
 public:
  using PreparedLoops::PreparedLoops;

  void pack() override { driver_.set_parameters(plain_); }
  void run() override { driver_.run(plain_); }
  void unpack(PlainTensors& out) override { driver_.get_states(out); }
};

// Linearizes in pack(): its time beside that of a whole run says what linearization costs.
class PreparedWithoutLinearizing final : public PreparedRecursive {
 public:
  using PreparedRecursive::PreparedRecursive;

  void pack() override {
    PreparedRecursive::pack();
    driver_.run(plain_);
  }
  void run() override { driver_.run_linearized(plain_); }
};

class PreparedRecursiveTraining final : public PreparedRecursive {
 public:
  using PreparedRecursive::PreparedRecursive;

  void run() override {
    driver_.run(plain_);
    driver_.run_backward(plain_);
  }
  void unpack(PlainTensors& out) override { driver_.get_gradients(out); }
};

template <class AnOp, RecursiveUse kUse, class APrepared>
struct RecursivePass {
  using Op = AnOp;
  using Plan = RecursivePlan;
  using Driver = RecursiveOnProblem;
  using Prepared = APrepared;

  static RecursivePassWork problem(const RecursiveProblem& p) { return {p, kUse}; }
  static Plan parse(std::string_view text) { return parse_recursive_plan(text); }
  static Plan rule(const RecursivePassWork& work, const MachineModel& machine, Backend) {
    return plan_recursive(work.problem.H, machine);
  }
};

using Inference = RecursivePass<RecursiveInferenceOp, RecursiveUse::inference, PreparedRecursive>;
using Training = RecursivePass<RecursiveTrainingOp, RecursiveUse::training, PreparedRecursiveTraining>;
using WithoutLinearizing = RecursivePass<RecursiveInferenceOp, RecursiveUse::inference, PreparedWithoutLinearizing>;

template <class Pass>
std::unique_ptr<Experiment> recursive_experiment(const Request& request, const Contender<typename Pass::Op>& onednn) {
  using Op = typename Pass::Op;
  return make_experiment(request, all_backends_and(planned_loops<Pass>,
                                                   {recursive_by_rnn<Op>(request.options), onednn,
                                                    onednn_latest("onednn-latest", onednn), pytorch_elsewhere<Op>(),
                                                    pytorch_elsewhere<Op>("pytorch-levels"), dynet_elsewhere<Op>()},
                                                   request.options));
}

std::unique_ptr<Experiment> recursive_inference_experiment(const Request& request) {
  return recursive_experiment<Inference>(request, onednn_recursive_inference());
}

std::unique_ptr<Experiment> recursive_training_experiment(const Request& request) {
  return recursive_experiment<Training>(request, onednn_recursive_training());
}

struct LoweringPass {
  std::string_view name;
  std::int64_t RecursivePlan::*on;
  bool usual() const { return RecursivePlan{}.*on != 0; }
};

std::vector<LoweringPass> lowering_passes() {
  std::vector<LoweringPass> passes;
  for (const auto& size : RecursivePlan::table().sizes) {
    if (size.least == 0) passes.push_back({size_table::name_of(size.key), size.member});  // others are sizes of blocks
  }
  return passes;
}

// Turns a usual pass off. Another pass comes in place of all that are not usual, as these exclude each other.
void change(RecursivePlan& plan, const LoweringPass& pass) {
  if (!pass.usual()) {
    for (const LoweringPass& other : lowering_passes()) {
      if (!other.usual()) plan.*other.on = 0;
    }
  }
  plan.*pass.on = pass.usual() ? 0 : 1;
}

template <class Pass>
Contender<RecursiveInferenceOp> variant(const Options& options, const std::string& name,
                                        const std::string& implementation,
                                        const std::function<void(RecursivePlan&)>& change) {
  const OurBrick ours(Backend::simd, options);
  auto contender = ours.contender<RecursiveInferenceOp>();
  contender.name = "brickwork-" + name;
  return planned_loops<Pass>(contender, ours, options, implementation, change);
}

// The plan as it is, then one contender for each pass, which has the pass off if it usually is on, and on otherwise.
std::unique_ptr<Experiment> recursive_ablation_experiment(const Request& request) {
  const Options& options = request.options;
  std::vector contenders{planned_loops<Inference>(Backend::simd, options)};
  for (const LoweringPass& pass : lowering_passes()) {
    contenders.push_back(variant<Inference>(options, fmt::format("{}{}", pass.usual() ? "no-" : "", pass.name),
                                            kOurLoops, [=](RecursivePlan& plan) { change(plan, pass); }));
  }
  contenders.push_back(variant<WithoutLinearizing>(options, "no-linearizing", "brgemm loops on linearized structures",
                                                   [](RecursivePlan&) {}));
  return make_experiment(request, std::move(contenders));
}

}  // namespace

std::span<const ExperimentEntry> recursive_experiments() {
  static const ExperimentEntry entries[] = {
      recursive_pass({.name = "recursive-inference",
                      .about = "recursive models over trees, DAGs and sequences, inference",
                      .make = recursive_inference_experiment}),
      recursive_pass({.name = "recursive-training",
                      .about = "recursive models, forward and all gradients",
                      .make = recursive_training_experiment}),
      recursive_pass({.name = "recursive-ablation",
                      .about = "recursive models, inference without each pass of the lowering",
                      .figure = "ablation",
                      .make = recursive_ablation_experiment}),
  };
  return entries;
}

}  // namespace brickwork
