// Splits the backward pass by data of a strided convolution into convolutions of stride 1, without products by zero.
//
// Pixel h of dsrc gets products from the taps r with p * stride + r - pad = h for some output p, so from every
// stride-th tap. Which taps these are depends only on (h + pad) mod stride, the phase. The pixels of a phase are
// `stride` apart; they are a convolution of ddst with the phase's taps in reverse order. A 1x1 kernel of stride 2 has
// taps for one of its four phases; the pixels of the other three are zeros.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/conv/conv_view.hpp"

namespace brickwork {

// A phase along one axis.
struct StridePhase {
  std::int64_t first, count;  // pixels of dsrc: first, first + stride, ...; `count` of them
  std::int64_t tap, taps;     // taps: tap, tap + stride, ...; `taps` of them, reversed in the phase's kernel
  std::int64_t pad;           // padding of the phase's convolution; negative if no pixel needs the first of ddst
};

// The phases that have pixels. dsrc has `size` pixels along the axis, the filter `kernel` taps.
std::vector<StridePhase> stride_phases(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad);

// The convolution from ddst to the pixels of one phase. C of the view is the problem's K.
struct BackwardPhase {
  StridePhase h, w;
  ConvView view;

  bool has_taps() const { return h.taps > 0 && w.taps > 0; }
};

// All phases, with the most taps first.
std::vector<BackwardPhase> backward_phases(const ConvProblem&);

// Whether every phase without taps has at most as many rows and columns as the first phase.
bool lie_beside_the_first(const std::vector<BackwardPhase>&);

}  // namespace brickwork
