#include "primitives/analysis/rankings/rank_features.hpp"

#include <algorithm>
#include <cmath>

namespace brickwork {
namespace {

RankFeatures unscaled(const VariantFacts& facts) {
  RankFeatures features{};
  auto* to = features.data();
  for (const auto& bytes : {facts.placed, facts.read, facts.written}) {
    to = std::ranges::transform(bytes, to, [](double b) { return static_cast<float>(std::log2(1 + b)); }).out;
  }
  for (const double count : {facts.fmas, facts.calls}) *to++ = static_cast<float>(std::log2(1 + count));
  *to++ = static_cast<float>(facts.instructions_per_fma);
  // A byte for 2^12 multiply-adds never matters. The numbers come to about -1 to 1.
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const double bytes = (facts.read[place] + facts.written[place]) / std::max(facts.fmas, 1.0);
    *to++ = static_cast<float>(std::log2(bytes + 0x1p-12) / 8 + 0.5);
  }
  return features;
}

}  // namespace

std::vector<RankFeatures> rank_features(std::span<const Variant> variants) {
  std::vector<RankFeatures> features;
  for (const Variant& variant : variants) features.push_back(unscaled(variant.facts));
  for (std::size_t f = 0; f < kScaledFeatures && !features.empty(); ++f) {
    const auto [least, most] = std::ranges::minmax(features, {}, [f](const auto& row) { return row[f]; });
    const float from = least[f], range = most[f] - least[f];
    for (RankFeatures& row : features) row[f] = range > 0 ? (row[f] - from) / range : 0;
  }
  return features;
}

}  // namespace brickwork
