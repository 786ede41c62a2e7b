// gnmt-stack: the recurrent layers, attention and residual additions of GNMT. Compares our chained drivers around each
// backend of the brick with a library's chained primitives.
#include <utility>

#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/gnmt_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_brick.hpp"
#include "primitives/gnmt/gnmt.hpp"

namespace brickwork {
namespace {

class PreparedGnmt final : public Prepared {
 public:
  PreparedGnmt(const GnmtProblem& p, GnmtStack stack, const PlainTensors& plain, std::string tuning)
      : stack_(std::move(stack)),
        training_(p.part == GnmtPart::step),
        layers_(gnmt_layers(p)),
        plain_(plain),
        tuning_(std::move(tuning)) {}

  void pack() override {
    stack_.set_words(plain_.at<float>("source"), plain_.at<float>("target"));
    stack_.set_lengths(plain_.at<std::int32_t>("lengths"));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const auto weights = [&](const char* what) { return plain_.at<float>(layers_[i].name + "." + what); };
      stack_.set_weights(i, weights("weights_layer"), weights("weights_iter"), weights("bias"));
    }
    if (training_) stack_.set_gradient(plain_.at<float>("dy"));
  }
  void run() override {
    stack_.run();
    if (training_) stack_.run_backward();
  }
  void unpack(PlainTensors& out) override {
    if (!training_) return stack_.get_y(out.at<float>("y"));
    stack_.get_word_gradients(out.at<float>("dsource"), out.at<float>("dtarget"));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const auto gradient = [&](const char* what) { return out.at<float>(layers_[i].name + "." + what + ".gradient"); };
      stack_.get_weight_gradients(i, gradient("weights_layer"), gradient("weights_iter"), gradient("bias"));
    }
  }

  std::string implementation() const override { return "chained brgemm loops"; }
  std::string isa() const override { return std::string(stack_.isa()); }
  std::string tuning() const override { return tuning_; }

 private:
  GnmtStack stack_;
  bool training_;
  std::vector<GnmtLayer> layers_;
  const PlainTensors& plain_;
  std::string tuning_;
};

Contender<GnmtOp> our_gnmt(Backend backend, const Options& options) {
  const OurBrick ours(backend, options);
  auto contender = ours.contender<GnmtOp>();
  contender.prepare = [=](const GnmtProblem& p, const PlainTensors& inputs, const Resources& r) -> Result<PreparedPtr> {
    auto stack = GnmtStack::make(p, this_machine(r.threads, ours.tuning()), backend, ours.isa(), ours.tuning());
    if (!stack) return {stack.status(), stack.reason()};
    return PreparedPtr(std::make_unique<PreparedGnmt>(p, *std::move(stack), inputs, ours.tuning_text()));
  };
  return contender;
}

std::unique_ptr<Experiment> gnmt_stack_experiment(const Request& request) {
  return make_experiment(
      request,
      all_backends_and(our_gnmt, {onednn_gnmt(), onednn_latest("onednn-latest", onednn_gnmt())}, request.options));
}

}  // namespace

std::span<const ExperimentEntry> gnmt_experiments() {
  static const ExperimentEntry entries[] = {
      gnmt_layers_training(
          {.name = "gnmt-stack",
           .about = "GNMT's recurrent layers, attention and residual additions: a training step, and inference",
           .make = gnmt_stack_experiment}),
  };
  return entries;
}

}  // namespace brickwork
