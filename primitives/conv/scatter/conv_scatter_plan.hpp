// How convolution backward by data is blocked, ordered and spread over threads where its tiles are added into dsrc.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// The loops are those of conv_scatter_body.hpp.
struct ConvScatterPlan {
  static const SizeTable<ConvScatterPlan>& table();  // of all but the loops

  std::int64_t bc = 0, bk = 0;  // features of ddst and of dsrc of a block
  std::int64_t bq = 0;          // pixels of ddst (m) of one brick call
  bool asks = false;            // a call asks for the ddst of the next one, where that comes from memory
  LoopSchedule loops;

  friend bool operator==(const ConvScatterPlan&, const ConvScatterPlan&) = default;
};

// "scatter bc=64 bk=3 bq=10 ddst=cached loops={n} kb oj oi cb"; or ddst=prefetch. No other plan begins so.
std::string to_string(const ConvScatterPlan&);

// Inverse of to_string. Throws std::invalid_argument naming the offending word.
ConvScatterPlan parse_conv_scatter_plan(std::string_view text);

bool is_conv_scatter_plan(std::string_view text);

// Whether it takes fewer vectors than the phases of the stride, whose tile is as wide as src has features.
bool scatter_takes_less(const ConvProblem&);

// The analytic choice.
ConvScatterPlan plan_conv_scatter(const ConvProblem&, const MachineModel&, FeatureBlocks = {});

}  // namespace brickwork
