#include "conv/conv_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "size_words.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 40;

// Factors in 1 .. 2^40, so the product fits 128 bits as long as it is tested at each step.
void check_elements(std::string_view tensor, std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor > max_elements / product) {
      throw std::invalid_argument(
          fmt::format("{} has {} elements: at most 2^40 are allowed", tensor, fmt::join(factors, " * ")));
    }
    product *= factor;
  }
}

void check_size(std::string_view key, std::int64_t size, std::int64_t least) {
  if (size < least || size > max_elements) {
    throw std::invalid_argument(fmt::format("{} is {}: it must be from {} to 2^40", key, size, least));
  }
}

void check_kernel(std::string_view kernel_key, std::int64_t kernel, std::string_view input_key, std::int64_t input,
                  std::int64_t pad) {
  if (kernel > input + 2 * pad) {
    throw std::invalid_argument(fmt::format("{} is {}: it must not exceed the padded input, {} + 2 * {} = {}",
                                            kernel_key, kernel, input_key, pad, input + 2 * pad));
  }
}

}  // namespace

std::string to_string(const ConvEpilogue& e) {
  std::vector<std::string_view> parts;
  if (e.bias) parts.push_back("bias");
  if (e.residual) parts.push_back("residual");
  if (e.relu) parts.push_back("relu");
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, "+"));
}

ConvEpilogue parse_conv_epilogue(std::string_view text) {
  for (const bool bias : {false, true}) {
    for (const bool residual : {false, true}) {
      for (const bool relu : {false, true}) {
        const ConvEpilogue epilogue{bias, residual, relu};
        if (text == to_string(epilogue)) return epilogue;
      }
    }
  }
  throw std::invalid_argument(fmt::format(
      "'{}' is no epilogue: expected none, or some of bias, residual, relu in this order joined by +", text));
}

double ConvProblem::flops() const {
  return 2.0 * static_cast<double>(dst_size()) * static_cast<double>(C) * static_cast<double>(R * S);
}

namespace {

// Over all output positions of one dimension: the taps that meet the image.
double taps_inside(std::int64_t out, std::int64_t stride, std::int64_t pad, std::int64_t taps, std::int64_t size) {
  double sum = 0;
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t first = std::max<std::int64_t>(0, pad - o * stride);
    const std::int64_t last = std::min(taps, size + pad - o * stride);
    sum += static_cast<double>(std::max<std::int64_t>(0, last - first));
  }
  return sum;
}

}  // namespace

double ConvProblem::least_flops() const {
  return 2.0 * static_cast<double>(N) * static_cast<double>(K) * static_cast<double>(C) *
         taps_inside(P(), stride_h, pad_h, R, H) * taps_inside(Q(), stride_w, pad_w, S, W);
}

double ConvProblem::bytes() const {
  const std::int64_t epilogue_elements = (epilogue.bias ? K : 0) + (epilogue.residual ? dst_size() : 0);
  return 4.0 * static_cast<double>(src_size() + weights_size() + dst_size() + epilogue_elements);
}

void ConvProblem::validate() const {
  for (const auto& [key, size] : {std::pair{"N", N}, {"C", C}, {"K", K}, {"H", H}, {"W", W}, {"R", R}, {"S", S}}) {
    check_size(key, size, 1);
  }
  check_size("sh", stride_h, 1);
  check_size("sw", stride_w, 1);
  check_size("ph", pad_h, 0);
  check_size("pw", pad_w, 0);
  check_kernel("R", R, "H", H, pad_h);
  check_kernel("S", S, "W", W, pad_w);
  // With its padding: most implementations store the zeros.
  check_elements("src", {N, C, H + 2 * pad_h, W + 2 * pad_w});
  check_elements("weights", {K, C, R, S});
  check_elements("dst", {N, K, P(), Q()});
  if (count < 1) throw std::invalid_argument(fmt::format("count is {}: it must be at least 1", count));
}

bool operator==(const ConvProblem& a, const ConvProblem& b) {
  return to_string(a) == to_string(b);  // which holds all sizes and the epilogue
}

std::string to_string(const ConvProblem& p) {
  const std::string sizes = fmt::format("N{}_C{}_K{}_H{}_W{}_R{}_S{}_sh{}_sw{}_ph{}_pw{}", p.N, p.C, p.K, p.H, p.W, p.R,
                                        p.S, p.stride_h, p.stride_w, p.pad_h, p.pad_w);
  return p.epilogue.any() ? fmt::format("{}_{}", sizes, to_string(p.epilogue)) : sizes;
}

ConvProblem parse_conv_problem(std::string_view text) {
  static constexpr std::string_view keys[] = {"C", "K", "H", "N", "W", "R", "S", "sh", "sw", "ph", "pw"};
  SizeWords words(keys);
  std::string_view epilogue;
  for (const auto word : split_words(text, " ,_")) {
    const bool is_epilogue = word.size() > 2 && word.find_first_of("0123456789") == std::string_view::npos;
    if (!is_epilogue) {
      words.add(word);
    } else if (epilogue.empty()) {
      epilogue = word;
    } else {
      throw std::invalid_argument(fmt::format("'{}' is a second epilogue after '{}': give one", word, epilogue));
    }
  }
  ConvProblem p;
  p.C = words.get("C", text);
  p.K = words.get("K", text);
  p.H = words.get("H", text);
  p.W = words.get_or("W", p.H);
  p.N = words.get_or("N", 1);
  p.R = words.get_or("R", 1);
  p.S = words.get_or("S", p.R);
  p.stride_h = words.get_or("sh", 1);
  p.stride_w = words.get_or("sw", p.stride_h);
  p.pad_h = words.get_or("ph", 0);
  p.pad_w = words.get_or("pw", p.pad_h);
  if (!epilogue.empty()) p.epilogue = parse_conv_epilogue(epilogue);
  p.validate();
  return p;
}

std::vector<std::pair<std::string, std::string>> size_columns(const ConvProblem& p) {
  return {{"N", std::to_string(p.N)},
          {"C", std::to_string(p.C)},
          {"K", std::to_string(p.K)},
          {"H", std::to_string(p.H)},
          {"W", std::to_string(p.W)},
          {"R", std::to_string(p.R)},
          {"S", std::to_string(p.S)},
          {"stride_h", std::to_string(p.stride_h)},
          {"stride_w", std::to_string(p.stride_w)},
          {"pad_h", std::to_string(p.pad_h)},
          {"pad_w", std::to_string(p.pad_w)},
          {"epilogue", to_string(p.epilogue)}};
}

}  // namespace brickwork
