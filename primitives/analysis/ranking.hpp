// Rankings of the variants of a nest: values chosen by name.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/analysis/cache_hierarchy.hpp"
#include "primitives/analysis/scheduled_nest.hpp"
#include "primitives/analysis/traffic.hpp"

namespace brickwork {

// What is known of a variant without running it. Bytes and counts are those of the busiest thread.
struct VariantFacts {
  std::array<double, kPlaces> placed{};   // PolyDL's working sets: working_sets.hpp
  std::array<double, kPlaces> read{};     // bytes that calls read, by the place from which they come: traffic.hpp
  std::array<double, kPlaces> written{};  // bytes that calls write, by the place to which they go
  double fmas = 0;                        // multiply-adds, padding included, times the imbalance of the threads
  double calls = 0;                       // of the brick
  double instructions_per_fma = 1;        // of the brick's register tiles; no reuse explains it
};

struct Variant {
  ScheduledNest nest;  // of one thread
  VariantFacts facts;
  RegisterTile tile;
};

struct Ranking {
  std::string_view name, about;
  // A cost for each variant; a smaller one is better. The unit is the ranking's own.
  std::vector<double> (*costs)(std::span<const Variant>, const CacheHierarchy&);
  bool by_working_sets = false;  // reads VariantFacts::placed
};

// Sets VariantFacts::placed. It takes longer than all other facts, so that only the rankings that need it pay for it.
void place_working_sets(std::span<Variant>, const CacheHierarchy&);

// The table of all rankings.
std::span<const Ranking> rankings();

// The one whose first variant is a plan's choice.
const Ranking& best_ranking();

}  // namespace brickwork
