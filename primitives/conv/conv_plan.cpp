#include "conv/conv_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace brickwork {

std::string to_string(const ConvPlan& plan) {
  return fmt::format("bc={} bk={} bq={} {} taps={} dst={} loops={}", plan.bc, plan.bk, plan.bq,
                     plan.flat ? "flat" : "rows", plan.taps_in_k ? "k" : "batch", plan.stream_dst ? "stream" : "cached",
                     to_string(plan.loops));
}

ConvPlan parse_conv_plan(std::string_view text) {
  const auto fail = [&](std::string_view word) {
    throw std::invalid_argument(
        fmt::format("plan '{}': cannot read '{}'; a plan looks like 'bc=64 bk=64 bq=28 rows taps=batch dst=cached "
                    "loops={{n kb}} cb:4 oj oi'",
                    text, word));
  };
  ConvPlan plan;
  bool has_bc = false, has_bk = false, has_bq = false, has_pixels = false, has_taps = false, has_dst = false;
  std::string_view rest = text;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    constexpr std::string_view kLoops = "loops=";
    if (rest.starts_with(kLoops)) {
      plan.loops = parse_loop_schedule(rest.substr(kLoops.size()));
      break;
    }
    if (rest.empty()) fail("its end: loops=... is missing");
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    const auto read = [&](std::string_view key, std::int64_t& value, bool& seen) {
      if (!word.starts_with(key) || seen) return false;
      const auto [end, error] = std::from_chars(word.data() + key.size(), word.data() + word.size(), value);
      seen = error == std::errc() && end == word.data() + word.size() && value >= 1;
      return seen;
    };
    if (word == "flat" || word == "rows") {
      plan.flat = word == "flat";
      has_pixels = true;
    } else if (word == "dst=stream" || word == "dst=cached") {
      plan.stream_dst = word == "dst=stream";
      has_dst = true;
    } else if (word == "taps=k" || word == "taps=batch") {
      plan.taps_in_k = word == "taps=k";
      has_taps = true;
    } else if (!read("bc=", plan.bc, has_bc) && !read("bk=", plan.bk, has_bk) && !read("bq=", plan.bq, has_bq)) {
      fail(word);
    }
  }
  if (!has_bc || !has_bk || !has_bq || !has_pixels || !has_taps || !has_dst) {
    fail("its blocks: bc, bk, bq, rows or flat, taps and dst must all be given");
  }
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
