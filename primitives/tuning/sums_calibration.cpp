// How a brick of many rows sums up is found in steps of an LSTM. A brick by itself shows nothing of it: where all that
// it reads is close, B comes from L2 for each register tile as fast as it is multiplied.
#include <Kokkos_Core.hpp>
#include <stdexcept>

#include "rnn/rnn.hpp"
#include "tuning/best_tuning.hpp"
#include "tuning/calibration.hpp"

namespace brickwork {
namespace {

constexpr int kRoundsOfTraining = 7;
constexpr double kLeastGainOfTraining = 0.01;  // of training, whose passes win 2 to 6 % or nothing

// There and back, on all threads.
std::vector<double> time_training(Isa isa, const std::vector<SimdTuning>& tunings, const RnnProblem& p) {
  std::vector<Rnn> layers;
  for (const SimdTuning& tuning : tunings) {
    const auto plan = plan_rnn(p, this_machine(Kokkos::DefaultHostExecutionSpace().concurrency(), tuning));
    auto layer = Rnn::make({.problem = p, .use = RnnUse::training}, plan, Backend::simd, isa, tuning);
    if (!layer) throw std::logic_error(layer.reason());
    layers.push_back(*std::move(layer));
  }
  std::vector<Racer> racers;
  for (Rnn& layer : layers) {
    racers.push_back({.work =
                          [&layer] {
                            layer.run();
                            layer.run_backward_data();
                            layer.run_weight_update();
                          },
                      .warms_up = false});  // what a step leaves in the caches, the next one finds
  }
  return race_medians(racers, kRoundsOfTraining);
}

}  // namespace

SimdTuning choose_sums(const SimdTuning& found, const Measure<RnnProblem>& training) {
  SimdTuning parts = found;
  parts.sums = Sums::parts;
  const std::vector<RnnProblem> layers{parse_problem<RnnProblem>("T16 N168 C256 K256")};
  return best_of({found, parts}, layers, training, kLeastGainOfTraining);
}

SimdTuning choose_sums(const SimdTuning& found, Isa isa) {
  return choose_sums(found, [&](const auto& tunings, const auto& p) { return time_training(isa, tunings, p); });
}

}  // namespace brickwork
