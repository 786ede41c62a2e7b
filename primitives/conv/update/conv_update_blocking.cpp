#include "primitives/conv/update/conv_update_blocking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/floats.hpp"
#include "primitives/conv/conv_view.hpp"

namespace brickwork {
namespace {

PixelGrid update_grid(const ConvView& p, const ConvUpdatePlan& plan) {
  if (plan.pixels == Pixels::rows) return {p.N, p.P, p.Q};
  const std::int64_t pixels = p.P * p.Q, row = plan.bq == 0 ? pixels : plan.bq;
  return {p.N, pixels / row, row};
}

}  // namespace

std::string conv_update_misfit(const ConvView& p, const ConvUpdatePlan& plan) {
  if (plan.flat() && !(plan.gathers ? can_be_flat_copied(p) : can_be_flat(p))) {
    return "flat needs a 1x1 kernel without padding, and stride 1 or src=gathered";
  }
  if (plan.joined() && p.dst_room_w != 0) return "joined needs ddst without zeros beside its rows";
  if (plan.gathers && !plan.flat()) return "src=gathered needs flat";
  if (plan.bq > 0 && (!plan.flat() || plan.gathers)) return "bq needs flat and src=cached";
  if (plan.bq > 0 && p.P * p.Q % plan.bq != 0) return fmt::format("bq must divide P * Q = {}", p.P * p.Q);
  const auto outside = [](std::int64_t block, std::int64_t size) { return block < 1 || block > size; };
  if (outside(plan.bc, p.C)) return fmt::format("bc must be from 1 to C = {}", p.C);
  if (outside(plan.bk, p.K)) return fmt::format("bk must be from 1 to K = {}", p.K);
  const std::int64_t m = plan.taps_in_m ? p.S * plan.bc : plan.bc, k = update_grid(p, plan).cols;
  if (std::max({m, plan.bk, k}) > std::numeric_limits<int>::max()) return "the brick's m, n and k must be below 2^31";
  return {};
}

ConvUpdateGeometry conv_update_geometry(const ConvView& p, const ConvUpdatePlan& plan) {
  const ActivationLayout src = src_layout_of(p, plan.bc), ddst = dst_layout_of(p, plan.bk);
  const WeightLayout weights = weights_layout_of(p, plan.bc, plan.bk);
  const PixelGrid grid = update_grid(p, plan);
  const auto strides = [&](const ActivationLayout& l) {
    return ConvUpdateGeometry::Strides{l.Cb() * l.slice_size(), l.slice_size(),
                                       (plan.bq == 0 ? l.Wp() : plan.bq) * l.bc};
  };
  const std::int64_t H = plan.bq == 0 ? p.H : grid.rows;
  return {.N = p.N,
          .Kb = ddst.Cb(),
          .Cb = src.Cb(),
          .R = p.R,
          .S = plan.taps_in_m ? 1 : p.S,
          .rows = grid.rows,
          .H = H + 2 * p.room_h,
          .stride_h = p.stride_h,
          .pad_h = p.pad_h - p.room_h,
          .src = strides(src),
          .ddst = strides(ddst),
          .src_tap = src.bc,
          .weights_kb = weights.Cb() * weights.block_size(),
          .weights_cb = weights.block_size(),
          .weights_r = weights.tap(0, 0, 1, 0),
          .weights_s = weights.tap(0, 0, 0, 1),
          .bk = plan.bk,
          .images = 1};
}

namespace {

ConvUpdateGeometry::Gathered gathered(const ConvView& p, const ConvUpdatePlan& plan, const LoopNest& nest,
                                      const ConvUpdateGeometry& g) {
  const std::int64_t image = p.P * p.Q * plan.bc;
  return {.kb = nest.in_a_row(ConvUpdateLoop::kb, ConvUpdateLoop::n).value(),
          .cb = nest.in_a_task(ConvUpdateLoop::cb),
          .block = whole_blocks(g.images * image, kFloatsOfLine),
          .image = image,
          .P = p.P,
          .Q = p.Q,
          .row = p.stride_h * g.src.row,
          .pixel = p.stride_w * plan.bc,
          .bc = plan.bc};
}

}  // namespace

Result<ConvUpdateBlocking> ConvUpdateBlocking::make(const ConvProblem& problem, const ConvUpdatePlan& plan, DType ab,
                                                    std::int64_t ddst_room_w) {
  ConvView p = forward_view(problem);
  p.dst_room_w = ddst_room_w;
  if (!plan.joined()) p.room_h = 0;  // the batch leaves out rows outside the image
  if (const std::string what = conv_update_misfit(p, plan); !what.empty()) {
    return Result<ConvUpdateBlocking>::misfit(
        fmt::format("plan '{}' does not fit {}: {}", to_string(plan), to_string(problem), what));
  }
  const ConvUpdateGeometry geometry = conv_update_geometry(p, plan);
  const auto nest = LoopNest::make(conv_update_loops(geometry), plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  if (plan.gathers && !nest->in_a_row(ConvUpdateLoop::kb, ConvUpdateLoop::n)) {
    return Result<ConvUpdateBlocking>::misfit(fmt::format(
        "plan '{}': src=gathered needs steps of kb that divide each other, as consecutive blocks share gathered pixels",
        to_string(plan)));
  }
  ConvUpdateBlocking blocking(p, plan, geometry, *nest, ab);
  const std::int64_t bytes = static_cast<std::int64_t>(size_of(ab)) * blocking.geometry_.gathered.elements();
  if (const std::string why = gathers_too_much(bytes); !why.empty()) {
    return Result<ConvUpdateBlocking>::misfit(fmt::format("plan '{}': {}", to_string(plan), why));
  }
  return blocking;
}

ConvUpdateBlocking::ConvUpdateBlocking(const ConvView& p, const ConvUpdatePlan& plan,
                                       const ConvUpdateGeometry& geometry, const LoopNest& nest, DType ab)
    : view_(p), plan_(plan), ab_(ab), nest_(nest), geometry_(geometry) {
  geometry_.images = nest.step_of(ConvUpdateLoop::n);
  if (plan.gathers) geometry_.gathered = gathered(p, plan, nest, geometry_);
  const std::int64_t src_image = plan.gathers ? geometry_.gathered.image : geometry_.src.image;
  for (std::int64_t rows = 1; rows <= nest.step_of(ConvUpdateLoop::oj); ++rows) {
    for (std::int64_t n = 0; n < geometry_.images; ++n) {
      for (std::int64_t row = 0; row < rows; ++row) {
        a_offsets_.push_back(size_of(ab) * (n * src_image + row * p.stride_h * geometry_.src.row));
        b_offsets_.push_back(size_of(ab) * (n * geometry_.ddst.image + row * geometry_.ddst.row));
      }
    }
  }
  if (p.epilogue.bias) {
    ones_offsets_.assign(static_cast<std::size_t>(geometry_.images * nest.step_of(ConvUpdateLoop::oj)), 0);
  }
}

BrgemmShape ConvUpdateBlocking::brick_shape(int beta) const {
  BrgemmShape shape{.m = static_cast<int>(plan_.taps_in_m ? view_.S * plan_.bc : plan_.bc),
                    .n = static_cast<int>(plan_.bk),
                    .k = static_cast<int>(update_grid(view_, plan_).cols),
                    .lda = plan_.gathers ? plan_.bc : view_.stride_w * plan_.bc,
                    .ldb = plan_.bk,
                    .ldc = plan_.bk,
                    .a_transposed = true,
                    .beta = beta,
                    .batch_kind = BatchKind::offsets,
                    .ab = ab_};
  if (plan_.joined()) {
    shape.pixels_of_a = {static_cast<int>(view_.Q), static_cast<int>(view_.P), view_.stride_h * geometry_.src.row, 0};
  }
  return shape;
}

// dbias is the product of a row of ones and ddst.
BrgemmShape ConvUpdateBlocking::bias_brick_shape(int beta) const {
  BrgemmShape shape = brick_shape(beta);
  shape.m = 1;
  shape.lda = shape.k;
  shape.a_transposed = false;
  shape.pixels_of_a = {};
  return shape;
}

}  // namespace brickwork
