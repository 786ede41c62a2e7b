// Backward-data of a strided convolution as convolutions of stride 1, without a product by zero.
//
// A pixel h of dsrc gets products from the taps r with p * stride + r - pad = h, so from every stride-th tap: which
// ones depends on (h + pad) mod stride alone. The pixels of one such phase, stride apart from each other, are a
// convolution of ddst with their taps in reverse order. A 1x1 kernel of stride 2 has taps for one of its four phases;
// the pixels of the others are zeros.
#pragma once
#include <cstdint>
#include <vector>

#include "primitives/conv/conv_view.hpp"

namespace brickwork {

// Along one axis.
struct StridePhase {
  std::int64_t first, count;  // pixels of dsrc: first, first + stride, ...
  std::int64_t tap, taps;  // of the kernel: tap, tap + stride, ...; their order in the phase's own kernel is reversed
  std::int64_t pad;        // of the phase's convolution; below 0 where its first pixel needs not ddst's first
};

// Those that have pixels; `size` of dsrc, `kernel` taps.
std::vector<StridePhase> stride_phases(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad);

// From ddst (C of the view is the problem's K) to some pixels of dsrc.
struct BackwardPhase {
  StridePhase h, w;
  ConvView view;

  bool has_taps() const { return h.taps > 0 && w.taps > 0; }
};

// All of them, beginning with the one of most taps.
std::vector<BackwardPhase> backward_phases(const ConvProblem&);

// Whether each pixel of those without taps has one of the first phase beside it.
bool lie_beside_the_first(const std::vector<BackwardPhase>&);

}  // namespace brickwork
