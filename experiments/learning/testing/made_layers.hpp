// Measured layers that tests make up.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <vector>

#include "experiments/learning/plan_ranking_data.hpp"
#include "primitives/analysis/rankings/testing/made_variants.hpp"

namespace brickwork {

// Two passes of each problem.
inline std::vector<MeasuredLayer> made_layers(int problems, int variants, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<MeasuredLayer> layers;
  for (int i = 0; i < 2 * problems; ++i) {
    MeasuredLayer layer{.pass = i % 2 == 0 ? "forward" : "update",
                        .problem = fmt::format("layer{}", i / 2),
                        .variants = random_variants(variants, static_cast<std::uint32_t>(random()))};
    for (const Variant& variant : layer.variants) {
      layer.seconds.push_back(made_seconds(variant.facts, made_caches(), 0.02, random));
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace brickwork
