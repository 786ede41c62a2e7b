#include "conv/conv_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace brickwork {
namespace {

struct Size {
  std::string_view key;
  std::int64_t ConvPlan::*value;
};
struct Choice {
  std::string_view no, yes;
  bool ConvPlan::*value;
};

// The words of a plan before its loops, in this order.
constexpr Size kSizes[] = {{"bc=", &ConvPlan::bc}, {"bk=", &ConvPlan::bk}, {"bq=", &ConvPlan::bq}};
constexpr Choice kChoices[] = {{"rows", "flat", &ConvPlan::flat},
                               {"taps=batch", "taps=k", &ConvPlan::taps_in_k},
                               {"src=cached", "src=prefetch", &ConvPlan::prefetch_src},
                               {"dst=cached", "dst=stream", &ConvPlan::stream_dst}};
constexpr std::string_view kLoops = "loops=";

}  // namespace

std::string to_string(const ConvPlan& plan) {
  std::string text;
  for (const Size& size : kSizes) text += fmt::format("{}{} ", size.key, plan.*size.value);
  for (const Choice& choice : kChoices) text += fmt::format("{} ", plan.*choice.value ? choice.yes : choice.no);
  return fmt::format("{}{}{}", text, kLoops, to_string(plan.loops));
}

ConvPlan parse_conv_plan(std::string_view text) {
  const auto fail = [&](std::string_view expected, std::string_view found) {
    throw std::invalid_argument(fmt::format(
        "plan '{}': expected {}, found {}; a plan looks like 'bc=64 bk=64 bq=28 rows taps=batch src=cached dst=cached "
        "loops={{n kb}} cb:4 oj oi'",
        text, expected, found.empty() ? "its end" : fmt::format("'{}'", found)));
  };
  ConvPlan plan;
  std::string_view rest = text;
  const auto next_word = [&] {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest.substr(0, rest.find(' '));
  };
  for (const Size& size : kSizes) {
    const std::string_view word = next_word();
    std::int64_t& value = plan.*size.value;
    const char* end = word.data() + word.size();
    const bool named = word.starts_with(size.key);
    const auto read = std::from_chars(named ? word.data() + size.key.size() : end, end, value);
    if (!named || read.ec != std::errc() || read.ptr != end || value < 1) fail(fmt::format("{}SIZE", size.key), word);
    rest.remove_prefix(word.size());
  }
  for (const Choice& choice : kChoices) {
    const std::string_view word = next_word();
    if (word != choice.no && word != choice.yes) fail(fmt::format("{} or {}", choice.no, choice.yes), word);
    plan.*choice.value = word == choice.yes;
    rest.remove_prefix(word.size());
  }
  if (const std::string_view word = next_word(); !word.starts_with(kLoops)) fail(kLoops, word);
  plan.loops = parse_loop_schedule(rest.substr(kLoops.size()));
  return plan;
}

bool can_be_flat(const ConvProblem& p) {
  return p.R == 1 && p.S == 1 && p.stride_h == 1 && p.stride_w == 1 && p.pad_h == 0 && p.pad_w == 0;
}

PixelGrid pixel_grid(const ConvProblem& p, bool flat) {
  return flat ? PixelGrid{1, p.P() * p.Q()} : PixelGrid{p.P(), p.Q()};
}

std::vector<Loop> conv_loops(const ConvProblem& p, const ConvPlan& plan) {
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(p), what));
  };
  if (plan.flat && !can_be_flat(p)) refuse("flat needs a 1x1 kernel, stride 1 and no padding");
  const auto [rows, cols] = pixel_grid(p, plan.flat);
  const auto check = [&](std::string_view name, std::int64_t block, std::string_view dimension, std::int64_t size) {
    if (block < 1 || block > size) refuse(fmt::format("{} must be from 1 to {} = {}", name, dimension, size));
  };
  check("bc", plan.bc, "C", p.C);
  check("bk", plan.bk, "K", p.K);
  check("bq", plan.bq, plan.flat ? "P*Q" : "Q", cols);
  const auto blocks = [](std::int64_t size, std::int64_t block) { return (size + block - 1) / block; };
  return {{.name = "n", .extent = p.N},
          {.name = "kb", .extent = blocks(p.K, plan.bk)},
          {.name = "cb", .extent = blocks(p.C, plan.bc), .reduction = true, .ranged = true},
          {.name = "oj", .extent = rows},
          {.name = "oi", .extent = blocks(cols, plan.bq)}};
}

}  // namespace brickwork
