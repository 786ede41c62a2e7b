// Variants, caches and measured times that tests make up.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

inline CacheHierarchy made_caches() {
  return {.bytes = {32 << 10, 1 << 20, 8 << 20},
          .latency = {1, 4, 20, 100},
          .bandwidth = {128, 64, 16, 8},
          .fmas = 32,
          .call = 20};
}

// Variants of one layer: they have the same multiply-adds, and their bytes differ by up to 64 times. What a
// multiply-add needs from each place differs between layers.
inline std::vector<Variant> random_variants(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto power_of_two = [&](double least, double most) {
    return std::exp2(least + (most - least) * static_cast<double>(random()) / 0x1p32);
  };
  const double fmas = power_of_two(26, 32);
  std::array<double, kPlaces> bytes{};  // of the layer, about
  for (std::size_t place = 0; place < kPlaces; ++place) {
    bytes[place] = fmas * power_of_two(-1, 1) * std::exp2(-3.0 * static_cast<double>(place));
  }
  std::vector<Variant> variants(static_cast<std::size_t>(count));
  for (Variant& variant : variants) {
    VariantFacts& facts = variant.facts;
    facts = {.fmas = fmas, .calls = fmas / power_of_two(12, 18), .instructions_per_fma = power_of_two(0, 0.5)};
    for (std::size_t place = 0; place < kPlaces; ++place) {
      facts.placed[place] = bytes[place] * power_of_two(-9, -3);
      facts.read[place] = bytes[place] * power_of_two(-3, 3);
      facts.written[place] = bytes[place] * power_of_two(-5, 1);
    }
  }
  return variants;
}

// The time that a machine with these caches would take, up to noise.
inline double made_seconds(const VariantFacts& facts, const CacheHierarchy& caches, double noise,
                           std::mt19937& random) {
  double seconds = facts.fmas * facts.instructions_per_fma / caches.fmas + facts.calls * caches.call;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    seconds += (facts.read[place] + facts.written[place]) / caches.bandwidth[place];
  }
  return seconds * 1e-9 * (1 + noise * (static_cast<double>(random()) * 0x1p-32 - 0.5));
}

}  // namespace brickwork
