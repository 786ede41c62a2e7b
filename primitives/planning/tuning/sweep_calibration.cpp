// Finds how sweeps go over memory best, by racing some operations on tensors that no cache holds.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/batch_norm/batch_norm.hpp"
#include "primitives/planning/race/race.hpp"
#include "primitives/planning/tuning/calibration.hpp"
#include "primitives/planning/tuning/far_problem.hpp"
#include "primitives/pool/pool.hpp"
#include "primitives/softmax_loss/softmax_loss.hpp"
#include "primitives/tensors/blocked_images.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kImagesOfAThread = 8, kRowsOfAThread = 256;

// Times one driver per tuning, each with the default plan; run(driver) does the work.
template <class Driver, class Problem, class Plan, class Run>
std::vector<double> race_sweeps(const std::vector<SimdTuning>& tunings, const Problem& p, const Plan& plan_of,
                                int rounds, const Run& run) {
  std::vector<decltype(plan_of(MachineModel()))> plans;
  std::vector<std::unique_ptr<Driver>> drivers;
  std::vector<Racer> racers;
  for (const SimdTuning& tuning : tunings) {
    plans.push_back(plan_of(this_machine(Kokkos::DefaultHostExecutionSpace().concurrency(), tuning)));
    drivers.push_back(std::make_unique<Driver>(p, plans.back()));
    racers.push_back({.work = [&run, driver = drivers.back().get()] { run(*driver); },
                      .warms_up = false});  // drivers leave nothing in the caches
  }
  // Nothing to measure if all plans are equal: then the caches hold even these tensors.
  const bool same = std::ranges::all_of(plans, [&](const auto& plan) { return plan == plans.front(); });
  return same ? std::vector<double>(tunings.size(), 1.0) : race_medians(racers, rounds);
}

std::vector<double> race_pooling(const std::vector<SimdTuning>& tunings, int rounds) {
  const auto p = far_problem<PoolProblem>("C64 H112 R3 sh2 ph1", kImagesOfAThread);
  const std::int64_t bc = p.C;
  const BlockedImages src({p.N, p.C, p.H, p.W, 0, bc});
  BlockedImages dst({p.N, p.C, p.P(), p.Q(), 0, bc});
  auto indices = Pool(p, {.bc = bc}).make_indices();
  return race_sweeps<Pool>(
      tunings, p, [&](const MachineModel& machine) { return plan_pool(p, bc, machine); }, rounds,
      [&](const Pool& pool) { pool.forward(src.input(), dst.output(), indices.data()); });
}

std::vector<double> race_softmax(const std::vector<SimdTuning>& tunings, int rounds) {
  const auto p = far_problem<SoftmaxLossProblem>("C32000", kRowsOfAThread);
  const AlignedBuffer<float> logits(static_cast<std::size_t>(p.N * p.C));
  const std::vector<std::int32_t> labels(static_cast<std::size_t>(p.N));
  return race_sweeps<SoftmaxLoss>(
      tunings, p,
      [&](const MachineModel& machine) { return plan_elementwise(bytes_of<SoftmaxLossForwardOp>(p), machine); }, rounds,
      [&](SoftmaxLoss& loss) { loss.run(logits.data(), labels.data(), nullptr); });
}

std::vector<double> race_norm(const std::vector<SimdTuning>& tunings, int rounds) {
  const auto p = far_problem<BatchNormProblem>("C512 H28", kImagesOfAThread);
  const std::int64_t bc = 64;
  const ActivationLayout layout{p.N, p.C, p.H, p.W, 0, bc};
  const BlockedImages src(layout), ddst(layout);
  BlockedImages dsrc(layout);
  const std::vector<float> gamma(static_cast<std::size_t>(p.C), 1.0F);
  const std::vector<double> ones(gamma.size(), 1.0);
  std::vector<float> dgamma(ones.size()), dbeta(ones.size());
  return race_sweeps<BatchNorm>(
      tunings, p, [&](const MachineModel& machine) { return plan_batch_norm(p, BatchNormPass::backward, bc, machine); },
      rounds,
      [&](BatchNorm& norm) {
        norm.backward(src.input(), ddst.input(), nullptr, gamma.data(), ones.data(), ones.data(), dsrc.output(),
                      dgamma.data(), dbeta.data(), {});
      });
}

}  // namespace

SimdTuning choose_sweep(const SimdTuning& found, const Measure<Swept>& measure) {
  SimdTuning into_l2 = found;
  into_l2.sweep = Sweep::stream_l2;
  return best_of({found, into_l2}, {Swept::pooling, Swept::softmax, Swept::norm}, measure);
}

SimdTuning choose_sweep(const SimdTuning& found, CalibrationRaces races) {
  return choose_sweep(found, [&](const auto& tunings, Swept swept, int rounds) {
    rounds = std::min(rounds, races.most_rounds);
    switch (swept) {
      case Swept::pooling:
        return race_pooling(tunings, rounds);
      case Swept::softmax:
        return race_softmax(tunings, rounds);
      case Swept::norm:
        break;
    }
    return race_norm(tunings, rounds);
  });
}

}  // namespace brickwork
