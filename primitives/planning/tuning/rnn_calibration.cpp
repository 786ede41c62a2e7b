// Finds on recurrent layers how bricks with many rows sum, and in which tiles. A single brick does not show the
// difference: its operands are close, and B comes from L2 for each register tile as fast as it is multiplied.
#include <Kokkos_Core.hpp>
#include <stdexcept>

#include "primitives/planning/race/race.hpp"
#include "primitives/planning/tuning/best_tuning.hpp"
#include "primitives/planning/tuning/calibration.hpp"
#include "primitives/rnn/rnn.hpp"

namespace brickwork {
namespace {

constexpr double kLeastGainOfLayers = 0.01;  // layers gain 2 to 6 % or nothing

// Times one run of each tuning's layer on all threads: forward, and in training also both backward passes.
std::vector<double> time_layer(const CalibrationRaces& races, RnnUse use, const std::vector<SimdTuning>& tunings,
                               const RnnProblem& p, int rounds) {
  std::vector<Rnn> layers;
  for (const SimdTuning& tuning : tunings) {
    const auto plan = plan_rnn(p, this_machine(Kokkos::DefaultHostExecutionSpace().concurrency(), tuning));
    auto layer = Rnn::make({.problem = p, .use = use}, plan, Backend::simd, races.isa, tuning);
    if (!layer) throw std::logic_error(layer.reason());
    layers.push_back(*std::move(layer));
  }
  std::vector<Racer> racers;
  for (Rnn& layer : layers) {
    racers.push_back({.work =
                          [&layer, use] {
                            layer.run();
                            if (use == RnnUse::inference) return;
                            layer.run_backward_data();
                            layer.run_weight_update();
                          },
                      .warms_up = false});  // a layer's steps warm each other's caches
  }
  return race_medians(racers, std::min(rounds, races.most_rounds));
}

Measure<RnnProblem> timed(CalibrationRaces races, RnnUse use) {
  return [=](const auto& tunings, const auto& p, int rounds) { return time_layer(races, use, tunings, p, rounds); };
}

}  // namespace

SimdTuning choose_tiles(const SimdTuning& found, const Measure<RnnProblem>& inference) {
  SimdTuning wide = found;
  wide.tiles = FarTiles::wide;
  const std::vector<RnnProblem> layers{parse_problem<RnnProblem>("T2 N168 C512 K512"),
                                       parse_problem<RnnProblem>("T1 N168 C1024 K1024")};
  return best_of({found, wide}, layers, inference, kLeastGainOfLayers);
}

SimdTuning choose_tiles(const SimdTuning& found, CalibrationRaces races) {
  return choose_tiles(found, timed(races, RnnUse::inference));
}

SimdTuning choose_sums(const SimdTuning& found, const Measure<RnnProblem>& training) {
  SimdTuning parts = found;
  parts.sums = Sums::parts;
  const std::vector<RnnProblem> layers{parse_problem<RnnProblem>("T8 N168 C256 K256")};
  return best_of({found, parts}, layers, training, kLeastGainOfLayers);
}

SimdTuning choose_sums(const SimdTuning& found, CalibrationRaces races) {
  return choose_sums(found, timed(races, RnnUse::training));
}

}  // namespace brickwork
