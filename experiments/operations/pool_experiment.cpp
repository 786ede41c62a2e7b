// pool-forward and pool-backward: a network's poolings. Compares ours with oneDNN's.
#include "baselines/elsewhere/onednn_latest.hpp"
#include "baselines/pool_baselines.hpp"
#include "experiments/harness/run/experiment_of.hpp"
#include "experiments/operations/entries.hpp"
#include "experiments/operations/experiments.hpp"
#include "experiments/operations/ours/our_sweeps.hpp"
#include "primitives/pool/pool.hpp"

namespace brickwork {
namespace {

class PreparedPool : public PreparedSweeps<Pool> {
 public:
  PreparedPool(const PoolProblem& p, const PlainTensors& inputs, Pool pool)
      : PreparedSweeps(inputs, std::move(pool)),
        is_max_(p.kind == PoolKind::max),
        src_({p.N, p.C, p.H, p.W, 0, driver_.plan().bc}),
        dst_({p.N, p.C, p.P(), p.Q(), 0, driver_.plan().bc}),
        indices_(driver_.make_indices()) {}

 protected:
  void run_forward() { driver_.forward(src_.input(), dst_.output(), indices_.data()); }

  bool is_max_;
  BlockedImages src_, dst_;
  AlignedBuffer<std::byte> indices_;
};

struct EitherPool {
  using Plan = PoolPlan;
  using Driver = Pool;
  static Plan rule(const PoolProblem& p, const MachineModel& machine) {
    return plan_pool(p, machine.block_of(p.C), machine);
  }
};

struct ForwardPool : EitherPool {
  using Op = PoolForwardOp;

  class Prepared final : public PreparedPool {
   public:
    using PreparedPool::PreparedPool;
    void pack() override { src_.pack(plain("src")); }
    void run() override { run_forward(); }
    void unpack(PlainTensors& out) override { dst_.unpack(out.at<float>("dst")); }
  };
};

struct BackwardPool : EitherPool {
  using Op = PoolBackwardOp;

  // Forward writes the indices; then dst_ holds ddst and src_ holds dsrc.
  class Prepared final : public PreparedPool {
   public:
    using PreparedPool::PreparedPool;
    void pack() override {
      if (is_max_) {
        src_.pack(plain("src"));
        run_forward();
      }
      dst_.pack(plain("ddst"));
    }
    void run() override { driver_.backward(dst_.input(), indices_.data(), src_.output()); }
    void unpack(PlainTensors& out) override { src_.unpack(out.at<float>("dsrc")); }
  };
};

template <class Pass, Contender<typename Pass::Op> (*kOnednn)()>
std::unique_ptr<Experiment> pool_experiment(const Request& request) {
  const auto onednn = kOnednn();
  return make_experiment<typename Pass::Op>(
      request, {our_sweeps<Pass>(request.options), onednn, onednn_latest("onednn-latest", onednn)});
}

}  // namespace

std::span<const ExperimentEntry> pool_experiments() {
  static const ExperimentEntry entries[] = {
      pool_pass({.name = "pool-forward",
                 .about = "max and average pooling forward, layers of a network (memory-bound)",
                 .make = pool_experiment<ForwardPool, onednn_pool>}),
      pool_pass({.name = "pool-backward",
                 .about = "max and average pooling backward, layers of a network (memory-bound)",
                 .make = pool_experiment<BackwardPool, onednn_pool_backward>}),
  };
  return entries;
}

}  // namespace brickwork
