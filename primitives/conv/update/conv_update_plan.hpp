// The plan of convolution's weight update: its blocks, loop order and threads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/conv/conv_plan.hpp"

namespace brickwork {

// The loops are those of conv_update_body.hpp.
struct ConvUpdatePlan {
  static const SizeTable<ConvUpdatePlan>& table();  // everything except the loops

  std::int64_t bc = 0, bk = 0;   // input and output features per block
  Pixels pixels = Pixels::rows;  // pixels of one member of a call's batch; if joined, all pixels of one image
  std::int64_t bq = 0;           // if flat: pixels per row, which must divide P * Q; 0: one row of P * Q
  // If true, m has the taps of a filter row, S * bc rows, as taps and features lie next to each other in src and in the
  // weights. Otherwise each tap has its own calls. A first layer with C = 3 gets large tiles this way.
  bool taps_in_m = false;
  bool gathers = false;  // first copies the pixels of src that a strided 1x1 kernel reads, without gaps; consecutive
                         // blocks of output features share a copy
  LoopSchedule loops;

  bool flat() const { return pixels == Pixels::flat; }
  bool joined() const { return pixels == Pixels::joined; }
  friend bool operator==(const ConvUpdatePlan&, const ConvUpdatePlan&) = default;
};

// "bc=64 bk=64 bq=196 flat taps=loop src=cached loops={kb:4} n oj kb cb r s". Other words are: rows or joined, taps=m,
// src=gathered.
std::string to_string(const ConvUpdatePlan&);

// Inverse of to_string. Throws std::invalid_argument that names the offending word.
ConvUpdatePlan parse_conv_update_plan(std::string_view text);

// Chooses a plan by analysis of its variants (conv_update_variants.hpp) from the problem and the machine.
ConvUpdatePlan plan_conv_update(const ConvProblem&, const MachineModel&, FeatureBlocks = {});

}  // namespace brickwork
