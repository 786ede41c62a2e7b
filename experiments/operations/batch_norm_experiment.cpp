// batch-norm-forward, batch-norm-inference and batch-norm-backward: a network's batch normalisations. Compares ours
// with oneDNN's.
#include <algorithm>

#include "baselines/batch_norm_baselines.hpp"
#include "baselines/elsewhere/onednn_latest.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_sweeps.hpp"
#include "primitives/batch_norm/batch_norm.hpp"

namespace brickwork {
namespace {

template <class AnOp, BatchNormPass kPass>
struct NormPass {
  using Op = AnOp;
  using Plan = BatchNormPlan;
  using Driver = BatchNorm;
  class Prepared;

  static Plan rule(const BatchNormProblem& p, const MachineModel& machine) {
    return plan_batch_norm(p, kPass, machine.block_of(p.C), machine);
  }
};

// The common part of the passes: src, the residual, dst, and the forward pass of training.
class PreparedNorm : public PreparedSweeps<BatchNorm> {
 public:
  PreparedNorm(const BatchNormProblem& p, const PlainTensors& inputs, BatchNorm norm)
      : PreparedSweeps(inputs, std::move(norm)),
        problem_(p),
        src_(layout()),
        residual_(images_where(p.residual())),
        dst_(layout()),
        mean_(static_cast<std::size_t>(p.C)),
        variance_(mean_.size()),
        mask_(p.relu() ? static_cast<std::size_t>(driver_.mask_bytes()) : 0) {}

  void pack() override {
    src_.pack(plain("src"));
    if (problem_.residual()) residual_.pack(plain("residual"));
  }

 protected:
  ActivationLayout layout() const { return {problem_.N, problem_.C, problem_.H, problem_.W, 0, driver_.plan().bc}; }
  BlockedImages images_where(bool there) const { return there ? BlockedImages(layout()) : BlockedImages(); }
  void run_forward() {
    driver_.forward(src_.input(), plain("gamma"), plain("beta"), residual_.input(), dst_.output(), mean_.data(),
                    variance_.data(), mask_.data());
  }

  BatchNormProblem problem_;
  BlockedImages src_, residual_, dst_;
  AlignedBuffer<double> mean_, variance_;
  AlignedBuffer<std::uint8_t> mask_;
};

using NormForward = NormPass<BatchNormForwardOp, BatchNormPass::forward>;
using NormInference = NormPass<BatchNormInferenceOp, BatchNormPass::inference>;
using NormBackward = NormPass<BatchNormBackwardOp, BatchNormPass::backward>;

template <>
class NormForward::Prepared final : public PreparedNorm {
 public:
  using PreparedNorm::PreparedNorm;
  void run() override { run_forward(); }
  void unpack(PlainTensors& out) override {
    dst_.unpack(out.at<float>("dst"));
    const auto rounded = [](double x) { return static_cast<float>(x); };
    std::ranges::transform(mean_, out.at<float>("mean"), rounded);
    std::ranges::transform(variance_, out.at<float>("variance"), rounded);
  }
};

template <>
class NormInference::Prepared final : public PreparedNorm {
 public:
  using PreparedNorm::PreparedNorm;
  void pack() override {
    PreparedNorm::pack();
    std::copy_n(plain("mean"), problem_.C, mean_.data());
    std::copy_n(plain("variance"), problem_.C, variance_.data());
  }
  void run() override {
    driver_.infer(src_.input(), plain("gamma"), plain("beta"), mean_.data(), variance_.data(), residual_.input(),
                  dst_.output());
  }
  void unpack(PlainTensors& out) override { dst_.unpack(out.at<float>("dst")); }
};

template <>
class NormBackward::Prepared final : public PreparedNorm {
 public:
  Prepared(const BatchNormProblem& p, const PlainTensors& inputs, BatchNorm norm)
      : PreparedNorm(p, inputs, std::move(norm)),
        ddst_(layout()),
        dsrc_(layout()),
        dresidual_(images_where(p.residual())),
        dgamma_(static_cast<std::size_t>(p.C)),
        dbeta_(dgamma_.size()) {}

  void pack() override {
    PreparedNorm::pack();
    ddst_.pack(plain("ddst"));
    run_forward();
  }
  void run() override {
    driver_.backward(src_.input(), ddst_.input(), mask_.data(), plain("gamma"), mean_.data(), variance_.data(),
                     dsrc_.output(), dgamma_.data(), dbeta_.data(), dresidual_.output());
  }
  void unpack(PlainTensors& out) override {
    dsrc_.unpack(out.at<float>("dsrc"));
    std::ranges::copy(dgamma_, out.at<float>("dgamma"));
    std::ranges::copy(dbeta_, out.at<float>("dbeta"));
    if (problem_.residual()) dresidual_.unpack(out.at<float>("dresidual"));
  }

 private:
  BlockedImages ddst_, dsrc_, dresidual_;
  AlignedBuffer<float> dgamma_, dbeta_;
};

template <class Pass, Contender<typename Pass::Op> (*kOnednn)()>
std::unique_ptr<Experiment> norm_experiment(const Request& request) {
  const auto onednn = kOnednn();
  return make_experiment<typename Pass::Op>(
      request, {our_sweeps<Pass>(request.options), onednn, onednn_latest("onednn-latest", onednn)});
}

}  // namespace

std::span<const ExperimentEntry> batch_norm_experiments() {
  static const ExperimentEntry entries[] = {
      norm_pass({.name = "batch-norm-forward",
                 .about = "batch normalisation forward in training, layers of a network (memory-bound)",
                 .make = norm_experiment<NormForward, onednn_batch_norm>}),
      norm_pass({.name = "batch-norm-inference",
                 .about = "batch normalisation in inference, layers of a network (memory-bound)",
                 .make = norm_experiment<NormInference, onednn_batch_norm_inference>}),
      norm_pass({.name = "batch-norm-backward",
                 .about = "batch normalisation backward, layers of a network (memory-bound)",
                 .make = norm_experiment<NormBackward, onednn_batch_norm_backward>}),
  };
  return entries;
}

}  // namespace brickwork
