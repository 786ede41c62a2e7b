// How convolution's weight update is blocked, ordered and spread over threads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// The loops are those of conv_update_body.hpp.
struct ConvUpdatePlan {
  static const SizeTable<ConvUpdatePlan>& table();  // of all but the loops

  std::int64_t bc = 0, bk = 0;   // input and output features of a block
  Pixels pixels = Pixels::rows;  // of a member of a call's batch; joined are those of one image
  std::int64_t bq = 0;           // or, flat, rows of so many, which divide P * Q; 0: one row
  // The taps of a filter row are rows of the brick, S * bc of them, as taps and features lie next to each other in src
  // and in the weights; or each tap has calls of its own. A first layer with C = 3 has tiles worth their name this way.
  bool taps_in_m = false;
  bool gathers = false;  // the pixels of src that a strided 1x1 kernel reads, are copied next to each other first, once
                         // for the blocks of output features that follow each other
  LoopSchedule loops;

  bool flat() const { return pixels == Pixels::flat; }
  bool joined() const { return pixels == Pixels::joined; }
  friend bool operator==(const ConvUpdatePlan&, const ConvUpdatePlan&) = default;
};

// "bc=64 bk=64 bq=196 flat taps=loop src=cached loops={kb:4} n oj kb cb r s"; or rows or joined, taps=m, src=gathered
std::string to_string(const ConvUpdatePlan&);

// Inverse of to_string. Throws std::invalid_argument naming the offending word.
ConvUpdatePlan parse_conv_update_plan(std::string_view text);

// The analytic choice, from the problem, the threads and the cache sizes.
ConvUpdatePlan plan_conv_update(const ConvProblem&, const MachineModel&, FeatureBlocks = {});

}  // namespace brickwork
