#include "primitives/conv/op/conv_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "primitives/conv/op/conv_taps.hpp"

namespace brickwork {
namespace {

void check_kernel(std::string_view kernel_key, std::int64_t kernel, std::string_view input_key, std::int64_t input,
                  std::int64_t pad) {
  if (kernel > input + 2 * pad) {
    throw std::invalid_argument(fmt::format("{} is {}: it must not exceed the padded input, {} + 2 * {} = {}",
                                            kernel_key, kernel, input_key, pad, input + 2 * pad));
  }
}

}  // namespace

const SizeTable<ConvProblem>& ConvProblem::table() {
  using P = ConvProblem;
  static const SizeTable<ConvProblem> table{
      .kind = "conv",
      .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "C", .column = "C", .member = &P::C},
                {.key = "K", .column = "K", .member = &P::K},
                {.key = "H", .column = "H", .member = &P::H},
                {.key = "W", .column = "W", .member = &P::W, .like = &P::H},
                {.key = "R", .column = "R", .member = &P::R},
                {.key = "S", .column = "S", .member = &P::S, .like = &P::R},
                {.key = "sh", .column = "stride_h", .member = &P::stride_h},
                {.key = "sw", .column = "stride_w", .member = &P::stride_w, .like = &P::stride_h},
                {.key = "ph", .column = "pad_h", .member = &P::pad_h, .least = 0},
                {.key = "pw", .column = "pad_w", .member = &P::pad_w, .least = 0, .like = &P::pad_h}},
      .words = {epilogue_word<P>()}};
  return table;
}

double ConvProblem::flops() const {
  return 2.0 * static_cast<double>(N * K) * static_cast<double>(P() * Q()) * static_cast<double>(C) *
         static_cast<double>(R * S);
}

double ConvProblem::least_flops() const {
  std::int64_t rows = 0, columns = 0;  // outputs that read the image, summed over all taps
  for (std::int64_t r = 0; r < R; ++r) rows += rows_in_image(*this, r).size();
  for (std::int64_t s = 0; s < S; ++s) columns += columns_in_image(*this, s).size();
  return 2.0 * static_cast<double>(N) * static_cast<double>(K) * static_cast<double>(C) * static_cast<double>(rows) *
         static_cast<double>(columns);
}

void ConvProblem::validate() const {
  check_sizes(*this, kMaxTensorElements, "2^40");
  check_kernel("R", R, "H", H, pad_h);
  check_kernel("S", S, "W", W, pad_w);
  // Padding counts, as most implementations store its zeros.
  check_elements("src", {N, C, H + 2 * pad_h, W + 2 * pad_w});
  check_elements("weights", {K, C, R, S});
  check_elements("dst", {N, K, P(), Q()});
}

}  // namespace brickwork
