#include "primitives/pool/pool.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "primitives/nest/integers.hpp"
#include "primitives/nest/league.hpp"

namespace brickwork {

namespace {

// For each window, 1 / its number of taps: of all taps if `padded`, or of those in the image.
std::vector<float> shares_of(const PoolAxis& axis, bool padded) {
  std::vector<float> shares;
  for (std::int64_t i = 0; i < axis.outputs; ++i) {
    shares.push_back(1 / static_cast<float>(padded ? axis.taps : axis.taps_in_image(i).size()));
  }
  return shares;
}

}  // namespace

Pool::Pool(const PoolProblem& p, const PoolPlan& plan)
    : problem_(p),
      plan_(plan),
      row_shares_(shares_of(rows_of(p), p.kind == PoolKind::average_padded)),
      column_shares_(shares_of(columns_of(p), p.kind == PoolKind::average_padded)) {
  if (plan.bc < 1 || plan.bc > p.C) {
    throw std::invalid_argument(
        fmt::format("plan '{}' does not fit {}: bc must be from 1 to C = {}", to_string(plan), to_string(p), p.C));
  }
  for (std::int64_t w = 0; w < p.W; ++w) column_windows_.push_back(columns_of(p).windows_of(w));
}

PoolGeometry Pool::geometry() const {
  return {.max = problem_.kind == PoolKind::max,
          .rows = rows_of(problem_),
          .columns = columns_of(problem_),
          .bc = plan_.bc,
          .index_bytes = problem_.index_bytes(),
          .column_windows = column_windows_.data(),
          .row_shares = row_shares_.data(),
          .column_shares = column_shares_.data()};
}

AlignedBuffer<std::byte> Pool::make_indices() const {
  const std::int64_t count = problem_.kind == PoolKind::max ? indices_layout().size() : 0;
  return AlignedBuffer<std::byte>(static_cast<std::size_t>(count * problem_.index_bytes()));
}

void Pool::forward(const BlockedInput& src, const BlockedOutput& dst, std::byte* indices) const {
  src.expect(problem_.N, problem_.C, problem_.H, problem_.W, plan_.bc);
  dst.expect(problem_.N, problem_.C, problem_.P(), problem_.Q(), plan_.bc);
  const PoolGeometry g = geometry();
  for_each_rows(
      problem_.P(), problem_.stride_h * problem_.W, [&](std::int64_t n, std::int64_t cb, PoolAxis::Range rows) {
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
          pool_row(g, {.src = src.row(n, cb, 0),
                       .next_row = src.next_row(),
                       .row = row,
                       .dst = dst.row(n, cb, row),
                       .indices = indices == nullptr ? nullptr
                                                     : indices + indices_layout().pixel(n, cb, row, 0) * g.index_bytes,
                       .sweep = plan_.sweep});
      });
}

void Pool::backward(const BlockedInput& ddst, const std::byte* indices, const BlockedOutput& dsrc) const {
  ddst.expect(problem_.N, problem_.C, problem_.P(), problem_.Q(), plan_.bc);
  dsrc.expect(problem_.N, problem_.C, problem_.H, problem_.W, plan_.bc);
  const PoolGeometry g = geometry();
  if (g.max && indices == nullptr) throw std::logic_error("max pooling backward needs forward's indices");
  for_each_rows(problem_.H, problem_.W, [&](std::int64_t n, std::int64_t cb, PoolAxis::Range rows) {
    pool_gradient_rows(g, {.ddst = ddst.row(n, cb, 0),
                           .next_row = ddst.next_row(),
                           .indices = g.max ? indices + indices_layout().pixel(n, cb, 0, 0) * g.index_bytes : nullptr,
                           .begin = rows.begin,
                           .end = rows.end,
                           .dsrc = dsrc.row(n, cb, rows.begin),
                           .next_dsrc_row = dsrc.next_row(),
                           .stream = past_caches(plan_.sweep)});
  });
}

// some_rows(n, cb, range) for all `rows` rows of a tensor. A row goes with `pixels` pixels of src; a task has several
// rows if one is little work.
template <class SomeRows>
void Pool::for_each_rows(std::int64_t rows, std::int64_t pixels, const SomeRows& some_rows) const {
  constexpr std::int64_t kTaskBytes = 64 << 10;
  const std::int64_t row_bytes = pixels * plan_.bc * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t together = equal_block(rows, clamp(kTaskBytes / row_bytes, 1, rows));
  const std::int64_t tasks = ceil_div(rows, together), Cb = ceil_div(problem_.C, plan_.bc);
  for_each_on_host(problem_.N * Cb * tasks, [&](std::int64_t task) {
    const std::int64_t slice = task / tasks, begin = task % tasks * together;
    some_rows(slice / Cb, slice % Cb, PoolAxis::Range{begin, std::min(begin + together, rows)});
  });
}

}  // namespace brickwork
