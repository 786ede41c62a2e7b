// Words that a planner reads are found by racing the plans that it makes with either of them.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <stdexcept>

#include "aligned_buffer.hpp"
#include "conv/conv_forward.hpp"
#include "conv/conv_plan.hpp"
#include "tuning/best_tuning.hpp"
#include "tuning/calibration.hpp"

namespace brickwork {
namespace {

constexpr int kRoundsOfPlans = 9;

// With so many images that no cache holds src, or dst.
ConvProblem far_layer(const char* sizes) {
  constexpr std::int64_t kImagesOfAThread = 16, kMostImages = 64;
  auto p = parse_problem<ConvProblem>(sizes);
  p.N = std::min<std::int64_t>(kMostImages, kImagesOfAThread * Kokkos::DefaultHostExecutionSpace().concurrency());
  return p;
}

}  // namespace

SimdTuning choose_planning(const SimdTuning& found, const Measure<ConvProblem>& measure) {
  SimdTuning blocks = found;
  blocks.src = FarSrc::blocks;
  const SimdTuning src = best_of(
      {found, blocks},
      {far_layer("C256 K128 H56 R1 sh2"), far_layer("C512 K128 H28 R1"), far_layer("C512 K256 H28 R1 sh2")}, measure);
  SimdTuning wide = src;
  wide.narrow = false;
  return best_of({src, wide}, {far_layer("C3 K64 H224 R7 sh2 ph3")}, measure);
}

std::vector<double> time_plans(Isa isa, const std::vector<SimdTuning>& tunings, const ConvProblem& p) {
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  std::vector<ConvForward> drivers;
  std::int64_t src_size = 0, weights_size = 0, dst_size = 0;
  for (const SimdTuning& tuning : tunings) {
    auto driver = ConvForward::make(p, plan_conv_forward(p, this_machine(threads, tuning)), Backend::simd, isa, tuning);
    if (!driver) throw std::logic_error(driver.reason());
    src_size = std::max(src_size, driver->src_layout().size());
    weights_size = std::max(weights_size, driver->weights_layout().size());
    dst_size = std::max(dst_size, driver->dst_layout().size());
    drivers.push_back(*std::move(driver));
  }
  // Where both do the same there is nothing to measure.
  if (std::ranges::all_of(drivers, [&](const auto& d) { return d.plan() == drivers[0].plan(); })) {
    return std::vector<double>(tunings.size(), 1.0);
  }
  const AlignedBuffer<float> src(src_size), weights(weights_size);
  AlignedBuffer<float> dst(dst_size);
  std::vector<Racer> racers;
  for (const ConvForward& driver : drivers) {
    racers.push_back({.work = [&] { driver.run(src.data(), weights.data(), nullptr, nullptr, dst.data()); },
                      .warms_up = false});  // they leave nothing in the caches
  }
  return race_medians(racers, kRoundsOfPlans);
}

}  // namespace brickwork
