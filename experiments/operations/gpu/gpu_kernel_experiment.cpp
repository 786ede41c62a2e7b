// gpu-kernel: the brick itself on a GPU, one call per block of threads. Compares it with a library's matrix product.
#include <algorithm>
#include <memory>
#include <vector>

#include "baselines/brgemm_baselines.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/gpu/gpu_contender.hpp"
#include "experiments/operations/ours/in_asked_precision.hpp"
#ifdef BRICKWORK_HAS_CUDA
#include "primitives/brgemm/brgemm_league_blocks.hpp"
#include "primitives/brgemm/brgemm_league_on_cuda.hpp"
#endif

namespace brickwork {
namespace {

#ifdef BRICKWORK_HAS_CUDA
template <class T>
class PreparedLeague final : public PreparedOnGpu {
 public:
  PreparedLeague(const BrgemmLeagueProblem& p, const PlainTensors& plain, const CudaSetting& setting)
      : PreparedOnGpu(plain, setting, ""),
        problem_(p),
        a_(p.tasks * p.m * p.depth()),
        b_(p.depth() * p.n),
        c_(p.tasks * p.m * p.n) {}

  void pack() override {
    a_.pack([&](float* to) { pack_league_a(problem_, plain_.at<float>("A"), to); });
    b_.pack([&](float* to) { std::copy_n(plain_.at<float>("B"), problem_.depth() * problem_.n, to); });
    c_.forget();
  }
  void run() override { brgemm_league_on_cuda(brgemm_league(problem_, a_.data(), b_.data(), c_.data()), setting_); }
  void unpack(PlainTensors& out) override {
    c_.unpack(
        [&](const float* from) { std::copy_n(from, problem_.tasks * problem_.m * problem_.n, out.at<float>("C")); });
  }

 private:
  BrgemmLeagueProblem problem_;
  GpuTensor<T> a_, b_, c_;
};
#endif

Contender<BrgemmLeagueOp> brick_alone(const GpuBrick& brick, [[maybe_unused]] Precision precision) {
  auto contender = gpu_contender<BrgemmLeagueOp>(brick);
#ifdef BRICKWORK_HAS_CUDA
  contender.prepare = [setting = brick.setting, precision](const BrgemmLeagueProblem& p, const PlainTensors& in,
                                                           const Resources&) -> Result<PreparedPtr> {
    return cuda::prepared([&]() -> PreparedPtr {
      if (precision == Precision::bf16) return std::make_unique<PreparedLeague<bf16>>(p, in, setting);
      return std::make_unique<PreparedLeague<float>>(p, in, setting);
    });
  };
#endif
  return contender;
}

std::unique_ptr<Experiment> gpu_kernel_experiment(const Request& request) {
  return in_asked_precision<BrgemmLeagueOp>(request, [](Precision precision) {
    std::vector<Contender<BrgemmLeagueOp>> contenders;
    for (const GpuBrick& brick : gpu_bricks(precision)) contenders.push_back(brick_alone(brick, precision));
    contenders.push_back(cublaslt_brgemm(precision));
    return contenders;
  });
}

}  // namespace

std::span<const ExperimentEntry> gpu_kernel_experiments() {
  static const ExperimentEntry entries[] = {
      {.name = "gpu-kernel",
       .about = "the batch-reduce GEMM kernel alone, on a GPU: one call per block of threads",
       .figure = "sweep",
       .shapes = "gpu-kernel",
       .sample = "tasks2 m64 n64 k64 batch4",
       .takes_dtype = true,
       .kind = shape_kind<BrgemmLeagueProblem>,
       .make = gpu_kernel_experiment},
  };
  return entries;
}

}  // namespace brickwork
