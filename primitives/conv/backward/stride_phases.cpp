#include "primitives/conv/backward/stride_phases.hpp"

#include <algorithm>

#include "primitives/nest/integers.hpp"

namespace brickwork {

std::vector<StridePhase> stride_phases(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  std::vector<StridePhase> phases;
  for (std::int64_t tap = 0; tap < stride; ++tap) {
    const std::int64_t first = ((tap - pad) % stride + stride) % stride;
    if (first >= size) continue;
    const std::int64_t taps = tap < kernel ? ceil_div(kernel - tap, stride) : 0;
    // The output that reads the first pixel by the phase's first tap. The phase's last tap belongs to the output that
    // is taps - 1 before it.
    const std::int64_t output = (first + pad - tap) / stride;
    phases.push_back({first, ceil_div(size - first, stride), tap, taps, taps - 1 - output});
  }
  return phases;
}

std::vector<BackwardPhase> backward_phases(const ConvProblem& p) {
  std::vector<BackwardPhase> phases;
  std::int64_t room_h = 0, room_w = 0;
  for (const StridePhase& h : stride_phases(p.H, p.R, p.stride_h, p.pad_h)) {
    for (const StridePhase& w : stride_phases(p.W, p.S, p.stride_w, p.pad_w)) {
      phases.push_back({h,
                        w,
                        {.N = p.N,
                         .C = p.K,
                         .H = p.P(),
                         .W = p.Q(),
                         .K = p.C,
                         .P = p.H,
                         .Q = p.W,
                         .rows = h.count,
                         .cols = w.count,
                         .R = h.taps,
                         .S = w.taps,
                         .pad_h = h.pad,
                         .pad_w = w.pad,
                         .step_h = p.stride_h,
                         .step_w = p.stride_w,
                         .first_h = h.first,
                         .first_w = w.first,
                         .epilogue = p.epilogue}});
      if (!phases.back().has_taps()) continue;
      room_h = std::max({room_h, h.pad, h.count - 1 - h.pad + h.taps - p.P()});
      room_w = std::max({room_w, w.pad, w.count - 1 - w.pad + w.taps - p.Q()});
    }
  }
  for (BackwardPhase& phase : phases)
    phase.view.room_h = room_h, phase.view.room_w = room_w;  // all phases read the same ddst
  std::ranges::stable_sort(phases, std::ranges::greater(),
                           [](const BackwardPhase& phase) { return phase.view.flops(); });
  return phases;
}

bool lie_beside_the_first(const std::vector<BackwardPhase>& phases) {
  const ConvView& first = phases.front().view;
  return std::ranges::all_of(phases, [&](const BackwardPhase& phase) {
    return phase.has_taps() || (phase.view.rows <= first.rows && phase.view.cols <= first.cols);
  });
}

}  // namespace brickwork
