#include "primitives/pool/op/pool_problem.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace brickwork {
namespace {

void check_window(std::string_view key, std::int64_t taps, std::string_view image_key, std::int64_t image,
                  std::string_view pad_key, std::int64_t pad) {
  if (pad >= taps) {
    throw std::invalid_argument(
        fmt::format("{} is {}: it must be below {} = {}, or the first window would hold nothing but padding", pad_key,
                    pad, key, taps));
  }
  if (taps > image + 2 * pad) {
    throw std::invalid_argument(fmt::format("{} is {}: it must not exceed the padded image, {} + 2 * {} = {}", key,
                                            taps, image_key, pad, image + 2 * pad));
  }
}

}  // namespace

const SizeTable<PoolProblem>& PoolProblem::table() {
  using P = PoolProblem;
  static const SizeTable<PoolProblem> table{
      .kind = "pool",
      .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "C", .column = "C", .member = &P::C},
                {.key = "H", .column = "H", .member = &P::H},
                {.key = "W", .column = "W", .member = &P::W, .like = &P::H},
                {.key = "R", .column = "R", .member = &P::R},
                {.key = "S", .column = "S", .member = &P::S, .like = &P::R},
                {.key = "sh", .column = "stride_h", .member = &P::stride_h},
                {.key = "sw", .column = "stride_w", .member = &P::stride_w, .like = &P::stride_h},
                {.key = "ph", .column = "pad_h", .member = &P::pad_h, .least = 0},
                {.key = "pw", .column = "pad_w", .member = &P::pad_w, .least = 0, .like = &P::pad_h}},
      .words = {
          choice("a kind: max, average or average-padded", {"max", "average", "average-padded"}, &P::kind, "kind")}};
  return table;
}

void PoolProblem::validate() const {
  check_sizes(*this, kMaxTensorElements, "2^40");
  check_window("R", R, "H", H, "ph", pad_h);
  check_window("S", S, "W", W, "pw", pad_w);
  check_elements("src", {N, C, H, W});
  check_elements("dst", {N, C, P(), Q()});
  if (R > std::numeric_limits<std::int32_t>::max() / S) {
    throw std::invalid_argument(fmt::format("a window has {} * {} taps: at most 2^31 - 1 are allowed", R, S));
  }
}

}  // namespace brickwork
