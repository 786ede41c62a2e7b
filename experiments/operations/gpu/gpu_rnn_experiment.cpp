// gpu-rnn-inference, gpu-rnn-forward, gpu-rnn-backward: recurrent layers on a GPU in f32. Compares our loops, with each
// way to launch them, with cuDNN.
#include "baselines/rnn_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/gpu/gpu_contender.hpp"
#include "experiments/operations/ours/prepared_rnn.hpp"
#ifdef BRICKWORK_HAS_CUDA
#include "primitives/rnn/gpu/rnn_on_cuda.hpp"
#endif

namespace brickwork {
namespace {

#ifdef BRICKWORK_HAS_CUDA

class LoopsOnGpu : public PreparedOnGpu {
 public:
  LoopsOnGpu(const PlainTensors& plain, const CudaSetting& setting, Rnn driver)
      : PreparedOnGpu(plain, setting, to_string(driver.plan())), driver_(std::move(driver)) {}

 protected:
  Rnn driver_;
};

template <class Op, RnnUse kUse, class Prepared>
Contender<Op> loops(const GpuBrick& brick) {
  auto contender = gpu_contender<Op>(brick);
  contender.prepare = [setting = brick.setting](const RnnProblem& p, const PlainTensors& in,
                                                const Resources&) mutable -> Result<PreparedPtr> {
    setting.stream = queue_of(setting.path).stream();
    return cuda::prepared([&] {
      const int multiprocessors = cuda::device()->multiprocessors;
      const RnnPlan plan = plan_rnn_on_gpu(p, multiprocessors);
      return std::make_unique<Prepared>(in, setting, *Rnn::make({p, kUse}, plan, RnnOnCuda(setting, multiprocessors)));
    });
  };
  return contender;
}

using Forward = PreparedRnnForward<LoopsOnGpu>;
using Backward = PreparedRnnBackward<LoopsOnGpu, true, true>;

#else

struct Forward;
struct Backward;

template <class Op, RnnUse, class>
Contender<Op> loops(const GpuBrick& brick) {
  return gpu_contender<Op>(brick);
}

#endif

template <class Op, RnnUse kUse, class Prepared>
std::unique_ptr<Experiment> gpu_rnn_experiment(const Request& request) {
  std::vector<Contender<Op>> contenders;
  for (const GpuBrick& brick : gpu_bricks(Precision::f32)) contenders.push_back(loops<Op, kUse, Prepared>(brick));
  contenders.push_back(cudnn_rnn<Op>(Precision::f32));
  return make_experiment(request, std::move(contenders));
}

ExperimentEntry gpu_rnn_pass(ExperimentEntry entry) {
  entry = on_gpu(rnn_pass(entry));
  entry.takes_dtype = false;
  return entry;
}

}  // namespace

std::span<const ExperimentEntry> gpu_rnn_experiments() {
  static const ExperimentEntry entries[] = {
      gpu_rnn_pass({.name = "gpu-rnn-inference",
                    .about = "recurrent layers on a GPU, forward in inference",
                    .make = gpu_rnn_experiment<RnnInferenceOp, RnnUse::inference, Forward>}),
      gpu_rnn_pass({.name = "gpu-rnn-forward",
                    .about = "recurrent layers on a GPU, forward in training",
                    .make = gpu_rnn_experiment<RnnForwardOp, RnnUse::training, Forward>}),
      gpu_rnn_pass({.name = "gpu-rnn-backward",
                    .about = "recurrent layers on a GPU, backward: all gradients",
                    .make = gpu_rnn_experiment<RnnBackwardOp, RnnUse::training, Backward>}),
  };
  return entries;
}

}  // namespace brickwork
