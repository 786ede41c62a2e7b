// Finds the words that convolution's planner reads, by racing the plans that it makes with each of them.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/conv_plan.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/update/conv_update_plan.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/planning/race/race.hpp"
#include "primitives/planning/tuning/best_tuning.hpp"
#include "primitives/planning/tuning/calibration.hpp"
#include "primitives/planning/tuning/far_problem.hpp"

namespace brickwork {
namespace {

ConvProblem far_layer(const char* sizes, std::int64_t images_of_a_thread = 8) {
  return far_problem<ConvProblem>(sizes, images_of_a_thread);
}

// For each pass a race needs: the driver, the default plan, the elements of both inputs and of the output, and a run.
struct ForwardRace {
  using Driver = ConvForward;
  static ConvPlan rule(const ConvProblem& p, const MachineModel& machine) { return plan_conv_forward(p, machine); }
  static std::array<std::int64_t, 3> sizes(const ConvForward& conv) {
    return {conv.src_layout().size(), conv.weights_layout().size(), conv.dst_layout().size()};
  }
  static void run(const ConvForward& conv, const float* src, const float* weights, float* dst) {
    conv.run(src, weights, nullptr, nullptr, dst);
  }
};

struct BackwardDataRace {
  using Driver = ConvBackwardData;
  static ConvBackwardPlan rule(const ConvProblem& p, const MachineModel& machine) {
    return plan_conv_backward_data(p, machine);
  }
  static std::array<std::int64_t, 3> sizes(const ConvBackwardData& conv) {
    return {conv.ddst_layout().size(), conv.weights_size(), conv.dsrc_layout().size()};
  }
  static void run(ConvBackwardData& conv, const float* ddst, const float* weights, float* dsrc) {
    conv.run(ddst, weights, nullptr, nullptr, dsrc);
  }
};

struct UpdateRace {
  using Driver = ConvWeightUpdate;
  static ConvUpdatePlan rule(const ConvProblem& p, const MachineModel& machine) { return plan_conv_update(p, machine); }
  static std::array<std::int64_t, 3> sizes(const ConvWeightUpdate& update) {
    return {update.src_layout().size(), update.ddst_layout().size(), update.dweights_layout().size()};
  }
  static void run(ConvWeightUpdate& update, const float* src, const float* ddst, float* dweights) {
    update.run(src, ddst, dweights);
  }
};

// Times one driver per tuning, each with the default plan, on all threads.
template <class Race>
std::vector<double> time_plans(const CalibrationRaces& races, const std::vector<SimdTuning>& tunings,
                               const ConvProblem& p, int rounds) {
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  std::vector<typename Race::Driver> drivers;
  std::array<std::int64_t, 3> sizes{};
  for (const SimdTuning& tuning : tunings) {
    const auto plan = Race::rule(p, this_machine(threads, tuning));
    auto driver = Race::Driver::make(p, plan, Backend::simd, races.isa, tuning);
    if (!driver) throw std::logic_error(driver.reason());
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::max(sizes[i], Race::sizes(*driver)[i]);
    drivers.push_back(*std::move(driver));
  }
  // Nothing to measure if all plans are equal.
  if (std::ranges::all_of(drivers, [&](const auto& d) { return d.plan() == drivers[0].plan(); })) {
    return std::vector<double>(tunings.size(), 1.0);
  }
  const AlignedBuffer<float> first(sizes[0]), second(sizes[1]);
  AlignedBuffer<float> output(sizes[2]);
  std::vector<Racer> racers;
  for (auto& driver : drivers) {
    racers.push_back({.work = [&] { Race::run(driver, first.data(), second.data(), output.data()); },
                      .warms_up = false});  // drivers leave nothing in the caches
  }
  return race_medians(racers, std::min(rounds, races.most_rounds));
}

template <class Race>
Measure<ConvProblem> timed_plans(const CalibrationRaces& races) {
  return [=](const auto& tunings, const auto& p, int rounds) { return time_plans<Race>(races, tunings, p, rounds); };
}

}  // namespace

SimdTuning choose_planning(const SimdTuning& found, const Measure<ConvProblem>& forward,
                           const Measure<ConvProblem>& backward_data, const Measure<ConvProblem>& update) {
  SimdTuning tuning = found;
  const auto with = [&](auto word, auto value) {
    SimdTuning other = tuning;
    other.*word = value;
    return other;
  };
  const auto try_out = [&](std::vector<SimdTuning> others, const std::vector<ConvProblem>& layers, const auto& measure,
                           double least_gain = kCalibrationMargin) {
    others.insert(others.begin(), tuning);
    tuning = best_of(others, layers, measure, least_gain);
  };
  try_out({with(&SimdTuning::src, FarSrc::blocks), with(&SimdTuning::src, FarSrc::lines)},
          {far_layer("C256 K128 H56 R1"), far_layer("C256 K128 H56 R1 sh2")}, forward);
  // A single brick on one thread is faster with prefetches, but these layers take 3 to 8 % less time with stores past
  // the caches, and 2 to 4 % less forward (Zen 5, 28 images). With 14 images per thread 2 to 3.5 % of it show; with 7
  // the difference is too small to be seen.
  constexpr std::int64_t kImagesToShowIt = 14;
  constexpr double kLeastGain = 0.01;
  try_out({with(&SimdTuning::far, CAccess::stream)},
          {far_layer("C256 K64 H56 R1", kImagesToShowIt), far_layer("C1024 K256 H14 R1", kImagesToShowIt)},
          backward_data, kLeastGain);
  try_out({with(&SimdTuning::narrow, false)}, {far_layer("C3 K64 H224 R7 sh2 ph3")}, forward);
  try_out({with(&SimdTuning::reduction, Reduction::shallow)},
          {far_layer("C512 K2048 H7 R1"), far_layer("C1024 K512 H14 R1 sh2")}, update);
  try_out({with(&SimdTuning::pixels, PixelsOfCall::many)},
          {far_layer("C64 K256 H56 R1", kImagesToShowIt), far_layer("C128 K512 H28 R1", kImagesToShowIt)}, update,
          kLeastGain);
  return tuning;
}

SimdTuning choose_planning(const SimdTuning& found, CalibrationRaces races) {
  return choose_planning(found, timed_plans<ForwardRace>(races), timed_plans<BackwardDataRace>(races),
                         timed_plans<UpdateRace>(races));
}

}  // namespace brickwork
