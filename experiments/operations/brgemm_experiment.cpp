// brgemm: the brick itself. Compares each of its backends with loops of small GEMMs and a batched matmul.
#include <algorithm>

#include "baselines/brgemm_baselines.hpp"
#include "baselines/elsewhere/onednn_latest.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_brick.hpp"
#include "kernels/base/aligned_buffer.hpp"

namespace brickwork {
namespace {

class PreparedBrgemm final : public Prepared {
 public:
  PreparedBrgemm(const BrgemmProblem& p, const PlainTensors& plain, BrgemmKernelPtr kernel, std::string tuning)
      : plain_(plain),
        tuning_(std::move(tuning)),
        kernel_(std::move(kernel)),
        a_(static_cast<std::size_t>(p.batch * p.m * p.k)),
        b_(static_cast<std::size_t>(p.batch * p.k * p.n)),
        c_(static_cast<std::size_t>(p.m * p.n)),
        call_{.batch = strided_batch(kernel_->shape(), a_.data(), b_.data(), p.batch), .c = c_.data()} {}

  void pack() override {
    std::copy_n(plain_.at<float>("A"), a_.size(), a_.data());
    std::copy_n(plain_.at<float>("B"), b_.size(), b_.data());
  }
  void run() override { (*kernel_)(call_); }
  void unpack(PlainTensors& outputs) override { std::ranges::copy(c_, outputs.at<float>("C")); }
  std::string isa() const override { return std::string(kernel_->isa()); }
  std::string tuning() const override { return tuning_; }

 private:
  const PlainTensors& plain_;
  std::string tuning_;
  BrgemmKernelPtr kernel_;
  AlignedBuffer<float> a_, b_, c_;
  BrgemmCall call_;
};

Contender<BrgemmOp> brick(Backend backend, const Options& o) {
  const OurBrick ours(backend, o);
  auto contender = ours.contender<BrgemmOp>();
  contender.prepare = [=](const BrgemmProblem& p, const PlainTensors& inputs, const Resources&) -> Result<PreparedPtr> {
    const auto kernel = make_brgemm(p.shape(), {.tuning = ours.tuning()}, backend, ours.isa());
    if (!kernel) return {kernel.status(), kernel.reason()};
    return PreparedPtr(std::make_unique<PreparedBrgemm>(p, inputs, *kernel, ours.tuning_text()));
  };
  return contender;
}

std::unique_ptr<Experiment> brgemm_experiment(const Request& request) {
  const Options& o = request.options;
  return make_experiment<BrgemmOp>(
      request,
      {brick(Backend::simd, o), brick(Backend::libxsmm, o), brick(Backend::portable, o), libxsmm_small_gemm(),
       openblas_small_gemm(), onednn_batched_matmul(), onednn_latest("onednn-matmul-latest", onednn_batched_matmul())});
}

}  // namespace

std::span<const ExperimentEntry> brgemm_experiments() {
  static const ExperimentEntry entries[] = {
      kernel_alone(
          {.name = "brgemm", .about = "the batch-reduce GEMM kernel alone, on one core", .make = brgemm_experiment}),
  };
  return entries;
}

}  // namespace brickwork
