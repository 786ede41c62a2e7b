#include "primitives/conv/conv_plan.hpp"

#include <fmt/format.h>

#include "primitives/planning/plan_text.hpp"

namespace brickwork {

const SizeTable<ConvPlan>& ConvPlan::table() {
  using P = ConvPlan;
  static const auto table = plan_words<ConvPlan>(
      "conv plan", {{"bc=", "bc", &P::bc}, {"bk=", "bk", &P::bk}, {"bq=", "bq", &P::bq}},
      {choice("rows, flat or joined", {"rows", "flat", "joined"}, &P::pixels),
       choice("taps=batch or taps=k", {"taps=batch", "taps=k"}, &P::taps),
       choice("src=cached or src=prefetch", {"src=cached", "src=prefetch"}, &P::src),
       choice("weights=cached or weights=prefetch", {"weights=cached", "weights=prefetch"}, &P::weights),
       choice("dst=cached, dst=prefetch or dst=stream", {"dst=cached", "dst=prefetch", "dst=stream"}, &P::dst)});
  return table;
}

std::string to_string(const ConvPlan& plan) { return plan_text(plan); }

ConvPlan parse_conv_plan(std::string_view text) { return parse_plan<ConvPlan>(text); }

bool can_be_flat(const ConvView& p) { return p.stride_h == 1 && p.stride_w == 1 && can_be_flat_copied(p); }
bool can_be_flat_copied(const ConvView& p) {
  return p.R == 1 && p.S == 1 && p.pad_h == 0 && p.pad_w == 0 && p.room_w == 0 && p.dst_room_w == 0 && p.step_h == 1 &&
         p.step_w == 1;
}

PixelGrid pixel_grid(const ConvView& p, Pixels pixels) {
  switch (pixels) {
    case Pixels::rows:
      return {p.N, p.rows, p.cols};
    case Pixels::flat:
      return {p.N, 1, p.rows * p.cols};
    case Pixels::joined:
      return {1, 1, p.N * p.rows * p.cols};
  }
  return {};
}

std::string gathers_too_much(std::int64_t bytes, std::string_view what) {
  constexpr std::int64_t kMost = 16 << 20;  // far more than any L2; Kokkos can give a task this much on every host
  if (bytes <= kMost) return {};
  return fmt::format("{} would need {:.1f} MB per task, but a task has at most {:.1f} MB", what, 1e-6 * bytes,
                     1e-6 * kMost);
}

}  // namespace brickwork
