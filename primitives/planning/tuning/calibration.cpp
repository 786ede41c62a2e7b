#include "primitives/planning/tuning/calibration.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/planning/race/race.hpp"
#include "primitives/planning/tuning/best_tuning.hpp"

namespace brickwork {
namespace {

constexpr double kSampleFlop = 2e7;  // about 0.1 ms: long compared with the clock, short compared with a time slice
constexpr int kSamplesOfARound = 5;

constexpr std::int64_t kDistances[] = {0, 8, 16, 32};
constexpr std::int64_t kMembersFromL3 = 256;  // their B, 64 columns wide, fills 4 MiB: more than L2, less than L3

std::vector<double> time_tunings(Isa isa, int lanes, const std::vector<SimdTuning>& tunings,
                                 const CalibrationBlock& block, int rounds) {
  constexpr int kSteps = 64;
  const int n = block.vecs * lanes;
  const BrgemmShape shape{.m = block.m,
                          .n = n,
                          .k = kSteps,
                          .lda = block.spacing * kSteps,
                          .ldb = n,
                          .ldc = n,
                          .stride_a = block.m * block.spacing * kSteps,
                          .stride_b = std::int64_t{kSteps} * n};
  const AlignedBuffer<float> a(static_cast<std::size_t>(block.batch * shape.stride_a)),
      b(static_cast<std::size_t>(block.batch * shape.stride_b));
  AlignedBuffer<float> c(static_cast<std::size_t>(std::int64_t{block.m} * n));
  const BrgemmCall call{.batch = strided_batch(shape, a.data(), b.data(), block.batch), .c = c.data()};
  const double flop = 2.0 * block.m * n * kSteps * static_cast<double>(block.batch);
  const int calls = std::max(1, static_cast<int>(kSampleFlop / flop));

  std::vector<BrgemmKernelPtr> bricks;
  std::vector<Racer> racers;
  for (const SimdTuning& tuning : tunings) {
    auto brick = make_brgemm(shape, {.tuning = tuning}, Backend::simd, isa);
    if (!brick) throw std::logic_error(brick.reason());
    bricks.push_back(*std::move(brick));
    racers.push_back({[&call, kernel = bricks.back().get()] { (*kernel)(call); }, calls});
  }
  return race_medians(racers, kSamplesOfARound * rounds);
}

}  // namespace

SimdTuning choose_tuning(const SimdTuning& untuned, int widest, const Measure<CalibrationBlock>& measure) {
  SimdTuning tuning = untuned;
  const auto try_out = [&](auto word, const auto& values, const std::vector<CalibrationBlock>& blocks) {
    std::vector<SimdTuning> candidates{tuning};
    for (const auto value : values) {
      if (tuning.*word == value) continue;
      candidates.push_back(tuning);
      candidates.back().*word = value;
    }
    tuning = best_of(candidates, blocks, measure);
  };
  try_out(&SimdTuning::ahead, kDistances,
          {{28, widest, 1, 1}, {28, widest, 16, 1}, {64, widest, 64, 1}, {14, widest, 16, 4}});
  try_out(&SimdTuning::spread, kSpreads, {{28, 1, 1, 1}, {28, 1, 16, 1}, {64, 1, 64, 1}, {6, 1, 16, 4}});
  try_out(&SimdTuning::few, std::array{std::int64_t{0}}, {{1, widest, kMembersFromL3, 1}});
  return tuning;
}

SimdTuning calibrate(const SimdTuning& untuned, Isa isa, int most_rounds) {
  const auto probe = make_brgemm({.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1}, {}, Backend::simd, isa);
  if (!probe) throw std::invalid_argument(probe.reason());
  const int lanes = (*probe)->isa() == "avx512" ? 16 : (*probe)->isa() == "avx2" ? 8 : 4;
  const int widest = untuned.few_registers ? 2 : 4;
  const CalibrationRaces races{isa, most_rounds};
  SimdTuning tuning = choose_tuning(untuned, widest, [&](const auto& tunings, const auto& block, int rounds) {
    return time_tunings(isa, lanes, tunings, block, std::min(rounds, most_rounds));
  });
  if (untuned.few_registers) tuning = choose_tiles(tuning, races);
  return choose_sweep(choose_sums(choose_planning(tuning, races), races), races);
}

}  // namespace brickwork
