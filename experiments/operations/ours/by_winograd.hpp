// What all contenders around our simd brick share whose convolutions are Winograd's.
#pragma once
#include "experiments/operations/ours/our_brick.hpp"
#include "primitives/conv/winograd/winograd_tiles.hpp"

namespace brickwork {

constexpr const char* kByWinograd = "Winograd F(4x4, 3x3) or F(2x2, 3x3)";  // to their rows' implementation

// What it does is still to be said, as of OurBrick's.
template <Operation Op>
Contender<Op> contender_by_winograd(const OurBrick& ours) {
  auto contender = ours.contender<Op>();
  contender.name = "brickwork-winograd";
  contender.rounding = kWinogradRounding;
  contender.least_share = winograd_share(kMostWinogradTile);  // at least: smaller tiles and other layers do more
  return contender;
}

}  // namespace brickwork
