#include "primitives/analysis/rankings/measured.hpp"

#include <numeric>

namespace brickwork {
namespace {

// The shares of a transfer's time that multiply-adds do not hide, as fitted to 100 variants of each of 39 convolutions
// forward (Zen 4). The pick hardly depends on them: each may be half or twice as large, and the geometric mean of the
// first variant's speed stays within 0.5 % of the best variant's.
constexpr double kReadFromCache = 0.1, kReadFromMemory = 0.2, kWritten = 0.3;
// Tiles with more loads for each multiply-add cost little, as a core does both at once.
constexpr double kInstructions = 0.1;
// In a nest a call costs more than in the loop in which it was measured, where its arguments are those of the call
// before.
constexpr double kCall = 2;
// A level more must save this share: a nest of few levels has fewer short loops, and its data come in a simpler order.
constexpr double kLevel = 0.002;

}  // namespace

double MeasuredCost::all() const { return std::accumulate(moving.begin(), moving.end(), multiply_adds + calls); }

MeasuredCost measured_cost(const VariantFacts& facts, const CacheHierarchy& caches) {
  MeasuredCost cost{.multiply_adds = facts.fmas / caches.fmas * (1 + kInstructions * (facts.instructions_per_fma - 1)),
                    .calls = kCall * facts.calls * caches.call};
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const bool from_memory = place == static_cast<std::size_t>(CachePlace::memory);
    cost.moving[place] =
        ((from_memory ? kReadFromMemory : kReadFromCache) * facts.read[place] + kWritten * facts.written[place]) /
        caches.bandwidth[place];
  }
  return cost;
}

std::vector<double> costs_by_measured(std::span<const Variant> variants, const CacheHierarchy& caches) {
  std::vector<double> costs;
  costs.reserve(variants.size());
  for (const Variant& variant : variants) {
    const double levels = static_cast<double>(variant.nest.levels.size());
    costs.push_back(measured_cost(variant.facts, caches).all() * (1 + kLevel * levels));
  }
  return costs;
}

}  // namespace brickwork
