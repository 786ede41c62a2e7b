// The facts of variants as columns of a CSV file: `brickwork --plan variants` writes it, and `learn --task
// plan-ranking` reads it.
#pragma once
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "primitives/analysis/ranking.hpp"

namespace brickwork {

inline constexpr const char* kPlaceColumns[kPlaces] = {"l1", "l2", "l3", "memory"};
inline constexpr std::pair<const char*, std::array<double, kPlaces> VariantFacts::*> kBytesColumns[] = {
    {"placed", &VariantFacts::placed}, {"read", &VariantFacts::read}, {"written", &VariantFacts::written}};
inline constexpr std::pair<const char*, double VariantFacts::*> kCountColumns[] = {
    {"fmas", &VariantFacts::fmas},
    {"calls", &VariantFacts::calls},
    {"instructions_per_fma", &VariantFacts::instructions_per_fma}};

// "pass", "problem", "plan", then "placed_l1" and so on, and "seconds".
inline std::vector<std::string> variant_columns() {
  std::vector<std::string> columns{"pass", "problem", "plan"};
  for (const auto& [name, member] : kBytesColumns) {
    for (const char* place : kPlaceColumns) columns.push_back(fmt::format("{}_{}", name, place));
  }
  for (const auto& [name, member] : kCountColumns) columns.emplace_back(name);
  columns.emplace_back("seconds");
  return columns;
}

// The cells of the facts, in the order of the columns.
inline std::vector<std::string> fact_cells(const VariantFacts& facts) {
  std::vector<std::string> cells;
  for (const auto& [name, member] : kBytesColumns) {
    for (const double bytes : facts.*member) cells.push_back(fmt::format("{:.6g}", bytes));
  }
  for (const auto& [name, member] : kCountColumns) cells.push_back(fmt::format("{:.6g}", facts.*member));
  return cells;
}

}  // namespace brickwork
