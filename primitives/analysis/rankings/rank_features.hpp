// What the neural ranking sees of a variant.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

// First the logarithms of all facts (placed, read and written bytes by place, multiply-adds, calls, instructions of a
// multiply-add), scaled from the smallest to the largest of the given variants to 0 to 1, as the paper does: 0 if all
// variants have the same. Then, by place, the logarithm of the bytes moved for a multiply-add. It is not scaled so: it
// says whether differences of the place's bytes matter beside the multiply-adds.
constexpr std::size_t kScaledFeatures = 3 * kPlaces + 3, kRankFeatures = kScaledFeatures + kPlaces;
using RankFeatures = std::array<float, kRankFeatures>;

std::vector<RankFeatures> rank_features(std::span<const Variant> of_one_problem);

}  // namespace brickwork
