// The common part of all contenders that run convolutions by Winograd's algorithm around our simd brick.
#pragma once
#include "experiments/operations/ours/our_brick.hpp"
#include "primitives/conv/winograd/winograd_tiles.hpp"

namespace brickwork {

constexpr const char* kByWinograd = "Winograd F(4x4, 3x3) or F(2x2, 3x3)";  // part of `implementation` in their rows

// Like OurBrick::contender(): the caller sets `prepare`.
template <Operation Op>
Contender<Op> contender_by_winograd(const OurBrick& ours) {
  auto contender = ours.contender<Op>();
  contender.name = "brickwork-winograd";
  contender.rounding = kWinogradRounding;
  contender.least_share = winograd_share(kMostWinogradTile);  // smaller tiles and other layers need more flops
  return contender;
}

}  // namespace brickwork
