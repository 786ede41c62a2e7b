#include "tuning/calibration.hpp"

#include <algorithm>
#include <stdexcept>

#include "aligned_buffer.hpp"
#include "machine.hpp"
#include "race.hpp"
#include "tuning/best_tuning.hpp"

namespace brickwork {
namespace {

// Of a transposed A, the first of them where registers are few.
constexpr std::int64_t kStepsOfParts[] = {96, 192, 0};
constexpr int kRounds = 21;
constexpr double kSampleFlop = 2e7;  // a tenth of a millisecond: long against the clock, short against a time slice

// By width: its rows in a tuning, and how many of them are worth a try; the default's is added.
constexpr std::int64_t SimdTuning::*kHeightByWidth[] = {&SimdTuning::one, &SimdTuning::two, &SimdTuning::three,
                                                        &SimdTuning::four};
const std::vector<std::int64_t> kHeights[] = {{28, 20, 14, 10}, {14, 12, 10, 8}, {9, 8, 7, 6}, {7, 6, 5, 4}};
constexpr std::int64_t kDistances[] = {0, 8, 16, 32};
constexpr std::int64_t kMembersFromL3 = 256;  // whose B are 4 MiB of 64 columns, more than an L2 and less than an L3

std::vector<double> time_tunings(Isa isa, int lanes, const std::vector<SimdTuning>& tunings,
                                 const CalibrationBlock& block) {
  const int n = block.vecs * lanes;
  const BrgemmShape shape{.m = block.m,
                          .n = n,
                          .k = block.depth,
                          .lda = block.spacing * (block.a_transposed ? block.m : block.depth),
                          .ldb = n,
                          .ldc = n,
                          .a_transposed = block.a_transposed,
                          .stride_a = block.m * block.spacing * block.depth,
                          .stride_b = std::int64_t{block.depth} * n};
  const AlignedBuffer<float> a(static_cast<std::size_t>(block.batch * shape.stride_a)),
      b(static_cast<std::size_t>(block.batch * shape.stride_b));
  AlignedBuffer<float> c(static_cast<std::size_t>(std::int64_t{block.m} * n));
  const BrgemmCall call{.batch = strided_batch(shape, a.data(), b.data(), block.batch), .c = c.data()};
  const double flop = 2.0 * block.m * n * block.depth * static_cast<double>(block.batch);
  const int calls = std::max(1, static_cast<int>(kSampleFlop / flop));

  std::vector<BrgemmKernelPtr> bricks;
  std::vector<Racer> racers;
  for (const SimdTuning& tuning : tunings) {
    auto brick = make_brgemm(shape, {.tuning = tuning}, Backend::simd, isa);
    if (!brick) throw std::logic_error(brick.reason());
    bricks.push_back(*std::move(brick));
    racers.push_back({[&call, kernel = bricks.back().get()] { (*kernel)(call); }, calls});
  }
  return race_medians(racers, kRounds);
}

}  // namespace

SimdTuning choose_tuning(const TilesOfIsa& tiles, const SimdTuning& known, const Measure<CalibrationBlock>& measure) {
  const int widest = tiles.widest;
  SimdTuning tuning = known;
  const auto try_out = [&](const std::vector<SimdTuning>& candidates, const std::vector<CalibrationBlock>& blocks) {
    tuning = best_of(candidates, blocks, measure);
  };
  for (int vecs = widest; vecs >= 1; --vecs) {
    std::vector<SimdTuning> candidates{tuning};
    const std::int64_t most = tiles.most_rows[static_cast<std::size_t>(vecs - 1)], by_default = tuning.rows(vecs);
    for (std::int64_t rows : kHeights[static_cast<std::size_t>(vecs - 1)]) {
      if (std::min(rows, most) == std::min(by_default, most)) rows = by_default;
      for (const std::int64_t ahead : kDistances) {
        for (const SpreadA spread : kSpreads) {
          if (vecs < widest && ahead != tuning.ahead) continue;
          if (vecs > 1 && spread != tuning.spread) continue;
          SimdTuning candidate = tuning;
          candidate.*kHeightByWidth[vecs - 1] = rows;
          candidate.ahead = ahead;
          candidate.spread = spread;
          if (std::ranges::find(candidates, candidate) == candidates.end()) candidates.push_back(candidate);
        }
      }
    }
    const int few = vecs == 1 ? 6 : 14;
    try_out(candidates, {{28, vecs, 1, 1}, {28, vecs, 16, 1}, {64, vecs, 64, 1}, {few, vecs, 16, 4}});
  }
  SimdTuning silent = tuning;
  silent.few = tuning.few == 0 ? SimdTuning{}.few : 0;
  try_out({tuning, silent}, {{1, widest, kMembersFromL3, 1}});
  SimdTuning cut = tuning;
  cut.whole = !cut.whole;
  try_out({tuning, cut}, {{7, widest, 8, 1}, {7, widest, 16, 4}});
  SimdTuning looped = tuning;
  looped.unroll = tuning.unroll == 0 ? SimdTuning{}.unroll : 0;
  try_out({tuning, looped}, {{28, widest, 1, 1}, {14, widest, 16, 1}});
  std::vector<SimdTuning> sums{tuning};
  for (const std::int64_t steps : kStepsOfParts) {
    if (steps == tuning.steps) continue;
    sums.push_back(tuning);
    sums.back().steps = steps;
  }
  const int rows = static_cast<int>(tuning.block);
  try_out(sums, {{rows, 4, 1, 1, 1344, true}, {rows, 4, 2, 1, 1344, true}});
  SimdTuning compiled = tuning;
  compiled.code = TileCode::compiled;
  try_out({tuning, compiled}, {{28, widest, 16, 1}, {64, widest, 64, 1}, {28, 1, 16, 1}, {14, widest, 16, 4}});
  return tuning;
}

SimdTuning calibrate(Isa isa) {
  const auto probe = make_brgemm({.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1}, {}, Backend::simd, isa);
  if (!probe) throw std::invalid_argument(probe.reason());
  const int lanes = (*probe)->isa() == "avx512" ? 16 : (*probe)->isa() == "avx2" ? 8 : 4;
  TilesOfIsa tiles;
  SimdTuning known;
  const bool few_registers = (*probe)->isa() == "avx2";
  if (few_registers) {
    tiles = {.widest = 2, .most_rows = {13, 6, 4, 3}};
    known.steps = kStepsOfParts[0];
    known.unroll = 0;
    known.block = 32;
  }
  if (const std::int64_t l1 = machine().l1d_bytes; l1 > 0) known.kept = std::min(l1 / 1024 * 4 / 5, kMostInTuning);
  known = choose_tuning(
      tiles, known, [&](const auto& tunings, const auto& block) { return time_tunings(isa, lanes, tunings, block); });
  if (few_registers) known = choose_tiles(known, isa);
  return choose_sweep(choose_sums(choose_planning(known, isa), isa));
}

}  // namespace brickwork
