// attention-forward, attention-backward: attention of decoder states over encoder states. Compares our loops around
// each backend of the brick with the libraries.
#include "baselines/attention_baselines.hpp"
#include "baselines/elsewhere/onednn_latest.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_loops.hpp"
#include "primitives/attention/attention.hpp"

namespace brickwork {
namespace {

class PreparedAttention : public PreparedLoops<Attention> {
 public:
  using PreparedLoops::PreparedLoops;

  void pack() override {
    driver_.set_states(plain_.at<float>("queries"), plain_.at<float>("keys"), plain_.at<float>("values"));
    driver_.set_lengths(plain_.at<std::int32_t>("lengths"));
  }
};

class PreparedAttentionForward final : public PreparedAttention {
 public:
  using PreparedAttention::PreparedAttention;

  void run() override { driver_.run(); }
  void unpack(PlainTensors& out) override {
    driver_.get_context(out.at<float>("context"));
    driver_.get_weights(out.at<float>("weights"));
  }
};

// pack() also runs the forward pass.
class PreparedAttentionBackward final : public PreparedAttention {
 public:
  using PreparedAttention::PreparedAttention;

  void pack() override {
    PreparedAttention::pack();
    driver_.run();
    driver_.set_gradient(plain_.at<float>("dcontext"));
  }
  void run() override { driver_.run_backward(); }
  void unpack(PlainTensors& out) override {
    driver_.get_gradients(out.at<float>("dqueries"), out.at<float>("dkeys"), out.at<float>("dvalues"));
  }
};

template <class AnOp, class APrepared>
struct AttentionPass {
  using Op = AnOp;
  using Plan = AttentionPlan;
  using Driver = Attention;
  using Prepared = APrepared;

  static AttentionWork problem(const AttentionProblem& p) { return {p, RnnUse::training}; }
  static Plan parse(std::string_view text) { return parse_attention_plan(text); }
  static Plan rule(const AttentionWork& work, const MachineModel& machine, Backend) {
    return plan_attention(work.problem, machine);
  }
};

template <class Pass>
std::unique_ptr<Experiment> attention_experiment(const Request& request,
                                                 const std::vector<Contender<typename Pass::Op>>& libraries) {
  return make_experiment(request, all_backends_and(planned_loops<Pass>, libraries, request.options));
}

std::unique_ptr<Experiment> attention_forward_experiment(const Request& request) {
  return attention_experiment<AttentionPass<AttentionForwardOp, PreparedAttentionForward>>(
      request, {onednn_attention_forward(), onednn_latest("onednn-latest", onednn_attention_forward()),
                openblas_attention_forward()});
}

std::unique_ptr<Experiment> attention_backward_experiment(const Request& request) {
  return attention_experiment<AttentionPass<AttentionBackwardOp, PreparedAttentionBackward>>(
      request, {onednn_attention_backward(), onednn_latest("onednn-latest", onednn_attention_backward()),
                openblas_attention_backward()});
}

}  // namespace

std::span<const ExperimentEntry> attention_experiments() {
  static const ExperimentEntry entries[] = {
      attention_pass({.name = "attention-forward",
                      .about = "attention of decoder states over encoder states, forward in training",
                      .make = attention_forward_experiment}),
      attention_pass({.name = "attention-backward",
                      .about = "attention backward: gradients of queries, keys and values",
                      .make = attention_backward_experiment}),
  };
  return entries;
}

}  // namespace brickwork
