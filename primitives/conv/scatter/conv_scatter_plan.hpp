// The plan of convolution backward by data by scattering: its blocks, loop order and threads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// The loops are those of conv_scatter_body.hpp.
struct ConvScatterPlan {
  static const SizeTable<ConvScatterPlan>& table();  // everything except the loops

  std::int64_t bc = 0, bk = 0;  // features per block, of ddst and of dsrc
  std::int64_t bq = 0;          // pixels of ddst (m) of one brick call
  bool asks = false;            // a call prefetches the next call's ddst, for ddst that comes from memory
  LoopSchedule loops;

  friend bool operator==(const ConvScatterPlan&, const ConvScatterPlan&) = default;
};

// "scatter bc=64 bk=3 bq=10 ddst=cached loops={n} kb oj oi cb", or with ddst=prefetch. Only this kind of plan begins
// with "scatter".
std::string to_string(const ConvScatterPlan&);

// Inverse of to_string. Throws std::invalid_argument that names the offending word.
ConvScatterPlan parse_conv_scatter_plan(std::string_view text);

bool is_conv_scatter_plan(std::string_view text);

// Whether scattering takes fewer vectors than the phases of the stride, whose tile is as wide as src has features.
bool scatter_takes_less(const ConvProblem&);

// Chooses a plan by rule.
ConvScatterPlan plan_conv_scatter(const ConvProblem&, const MachineModel&, FeatureBlocks = {});

}  // namespace brickwork
