#include "pool/pool.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "integers.hpp"
#include "league.hpp"

namespace brickwork {

namespace {

// Of each window: one over its taps, or those that the image holds.
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
  return {.rows = rows_of(problem_),
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
  check_src(src);
  check_dst(dst);
  const auto row_of = problem_.kind == PoolKind::max ? max_row : average_row;
  const PoolGeometry g = geometry();
  for_each_rows(
      problem_.P(), problem_.stride_h * problem_.W, [&](std::int64_t n, std::int64_t cb, PoolAxis::Range rows) {
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
          row_of(g, {.src = src.row(n, cb, 0),
                     .next_row = src.next_row(),
                     .row = row,
                     .dst = dst.row(n, cb, row),
                     .indices =
                         indices == nullptr ? nullptr : indices + indices_layout().pixel(n, cb, row, 0) * g.index_bytes,
                     .sweep = plan_.sweep});
      });
}

void Pool::backward(const BlockedInput& ddst, const std::byte* indices, const BlockedOutput& dsrc) const {
  check_dst(ddst);
  check_src(dsrc);
  const bool max = problem_.kind == PoolKind::max;
  if (max && indices == nullptr) throw std::logic_error("max pooling backward needs forward's indices");
  const auto gradient_rows = max ? max_gradient_rows : average_gradient_rows;
  const PoolGeometry g = geometry();
  for_each_rows(problem_.H, problem_.W, [&](std::int64_t n, std::int64_t cb, PoolAxis::Range rows) {
    gradient_rows(g, {.ddst = ddst.row(n, cb, 0),
                      .next_row = ddst.next_row(),
                      .indices = max ? indices + indices_layout().pixel(n, cb, 0, 0) * g.index_bytes : nullptr,
                      .begin = rows.begin,
                      .end = rows.end,
                      .dsrc = dsrc.row(n, cb, rows.begin),
                      .next_dsrc_row = dsrc.next_row(),
                      .stream = past_caches(plan_.sweep)});
  });
}

// some_rows(n, cb, range) for all rows of a tensor, each of which goes with so many pixels of src; several rows a task
// where one is little work.
template <class SomeRows>
void Pool::for_each_rows(std::int64_t rows, std::int64_t pixels, const SomeRows& some_rows) const {
  constexpr std::int64_t kTaskBytes = 64 << 10;
  const std::int64_t row_bytes = pixels * plan_.bc * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t together = equal_block(rows, clamp(kTaskBytes / row_bytes, 1, rows));
  const std::int64_t tasks = ceil_div(rows, together), Cb = ceil_div(problem_.C, plan_.bc);
  parallel_league(Kokkos::DefaultHostExecutionSpace(), problem_.N * Cb * tasks, 1, 0,
                  [&](const auto&, std::int64_t task, void*) {
                    const std::int64_t slice = task / tasks, begin = task % tasks * together;
                    some_rows(slice / Cb, slice % Cb, PoolAxis::Range{begin, std::min(begin + together, rows)});
                  });
}

template <class T>
void Pool::check_src(const BlockedTensor<T>& tensor) const {
  tensor.expect(problem_.N, problem_.C, problem_.H, problem_.W, plan_.bc);
}

template <class T>
void Pool::check_dst(const BlockedTensor<T>& tensor) const {
  tensor.expect(problem_.N, problem_.C, problem_.P(), problem_.Q(), plan_.bc);
}

}  // namespace brickwork
