#include "primitives/analysis/rankings/latency.hpp"

namespace brickwork {

std::vector<double> costs_by_latency(std::span<const Variant> variants, const CacheHierarchy&) {
  constexpr BytesByPlace kCycles{4, 14, 60, 84}, kBytesOfACycle{192, 96, 16, 55};
  constexpr double kTie = 1e-9;  // small beside any difference of whole bytes and cycles
  std::vector<double> costs;
  costs.reserve(variants.size());
  for (const Variant& variant : variants) {
    double cost = 0, tie = 0;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      cost += kCycles[place] * variant.facts.placed[place];
      tie += variant.facts.placed[place] / kBytesOfACycle[place];
    }
    costs.push_back(cost + kTie * tie);
  }
  return costs;
}

}  // namespace brickwork
