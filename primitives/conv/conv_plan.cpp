#include "conv/conv_plan.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace brickwork {

const SizeTable<ConvPlan>& ConvPlan::table() {
  using P = ConvPlan;
  static const SizeTable<ConvPlan> table{
      .kind = "conv plan",
      .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                {.key = "bk=", .column = "bk", .member = &P::bk},
                {.key = "bq=", .column = "bq", .member = &P::bq}},
      .words = {choice("rows or flat", {"rows", "flat"}, &P::flat),
                choice("taps=batch or taps=k", {"taps=batch", "taps=k"}, &P::taps_in_k),
                choice("src=cached, src=prefetch or src=gathered", {"src=cached", "src=prefetch", "src=gathered"},
                       &P::src),
                choice("dst=cached, dst=prefetch or dst=stream", {"dst=cached", "dst=prefetch", "dst=stream"},
                       &P::dst)},
      .separator = ' ',
      .default_words = true};
  return table;
}

namespace {

constexpr std::string_view kLoops = "loops=";

}  // namespace

std::string to_string(const ConvPlan& plan) {
  return fmt::format("{} {}{}", to_string<ConvPlan>(plan), kLoops, to_string(plan.loops));
}

ConvPlan parse_conv_plan(std::string_view text) {
  const auto loops = text.find(kLoops);
  if (loops == std::string_view::npos) {
    throw std::invalid_argument(fmt::format(
        "plan '{}' lacks its loops: expected at its end a word such as '{}{{n kb}} oj oi cb'", text, kLoops));
  }
  auto plan = parse_words<ConvPlan>(text.substr(0, loops));
  check_sizes(plan, kMostIterations, "2^40");
  plan.loops = parse_loop_schedule(text.substr(loops + kLoops.size()));
  return plan;
}

bool can_be_flat(const ConvProblem& p, SrcAccess src) {
  const bool dense = src == SrcAccess::gathered || (p.stride_h == 1 && p.stride_w == 1);
  return p.R == 1 && p.S == 1 && p.pad_h == 0 && p.pad_w == 0 && dense;
}

PixelGrid pixel_grid(const ConvProblem& p, bool flat) {
  return flat ? PixelGrid{1, p.P() * p.Q()} : PixelGrid{p.P(), p.Q()};
}

}  // namespace brickwork
