#include "rnn/rnn_way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "league.hpp"
#include "machine_model.hpp"

namespace brickwork {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t kRowsOfX = 256;  // of a call: enough to amortise it
// With more sequences than so few, whose weights pass as fast as they come, weights can be asked for while others are
// multiplied: 3 to 6 % of an LSTM of 1024 features, for which one sequence would pay 5 % (Zen 5).
constexpr std::int64_t kFewSequences = 8;
// The share of L2 that a call's rows may fill where its sum goes in parts: LSTMs of 256 features take 4 to 7 % less by
// that, of 512 they would take up to 4, and of 1024 up to 7 % more (Zen 5, 1 MiB).
constexpr std::int64_t kShareOfL2 = 4;

// The columns that `has` chooses, which stand side by side.
template <class Has>
std::pair<std::int64_t, std::int64_t> range_of(std::span<const GateColumn> columns, const Has& has) {
  const auto first = std::ranges::find_if(columns, has);
  const auto last = std::find_if_not(first, columns.end(), has);
  return {first - columns.begin(), last - first};
}

// Equal numbers, of no more columns than the brick's widest tile holds side by side: where a call has three such tiles,
// the rows of B that one of them reads are not next to each other, and GRUs of 256 to 1024 features take 1 to 6 % more
// (Zen 5).
std::int64_t columns_of_call(std::int64_t count, std::int64_t bk) {
  std::int64_t columns = clamp(kColumnsOfTile / bk, 1, count);
  while (count % columns != 0) --columns;
  return columns;
}

}  // namespace

RnnWay::RnnWay(const Shape& shape, const RnnPlan& plan, RnnUse use)
    : shape_(shape),
      plan_(plan),
      use_(use),
      columns_(gate_columns(shape.cell)),
      Kb_(ceil_div(shape.y.size, plan.bk)),
      gate_rows_((use == RnnUse::training ? shape.T : plan.steps) * shape.y.N),
      c_slots_(shape.cell != RnnCell::lstm ? 0
               : use == RnnUse::training   ? shape.T + 1
                                           : 2),
      x_rows_(equal_block(plan.steps == 1 ? plan.bn : plan.steps * shape.y.N, kRowsOfX)) {
  const auto set = [&](Columns& c, const RnnSteps& a, const auto& has) {
    std::tie(c.first, c.count) = range_of(columns_, has);
    if (c.count == 0) return;
    c.of_call = columns_of_call(c.count, plan.bk);
    c.weights_of_a_call = a.blocks() * a.block * c.of_call * plan.bk;
    c.weights = AlignedBuffer<float>(static_cast<std::size_t>(Kb_ * c.calls() * c.weights_of_a_call));
  };
  RnnSteps state = shape.y;
  state.parts = 1;
  set(of_x_, shape.x, [](const GateColumn& c) { return c.layer >= 0; });
  set(of_state_, state, [](const GateColumn& c) { return c.iter >= 0 && !c.of_reset; });
  set(of_reset_, state, [](const GateColumn& c) { return c.of_reset; });
  bias_ = AlignedBuffer<float>(static_cast<std::size_t>(Kb_ * row_of_gates()));
  const bool kept = use == RnnUse::training;
  gates_ = AlignedBuffer<float>(static_cast<std::size_t>(kept || !in_tile() ? Kb_ * gate_rows_ * row_of_gates() : 0));
  tiles_ =
      AlignedBuffer<float>(static_cast<std::size_t>(in_tile() ? Space().concurrency() * plan.bn * row_of_gates() : 0));
  c_ = AlignedBuffer<float>(static_cast<std::size_t>(Kb_ * c_slots_ * shape.y.N * plan.bk));
  if (of_reset_.count == 0) return;
  reset_steps_ = state;
  reset_steps_.slots = use == RnnUse::training ? shape.T : 1;
  reset_ = AlignedBuffer<float>(static_cast<std::size_t>(reset_steps_.elements()));
}

BrgemmShape RnnWay::brick_shape(const Columns& columns, std::int64_t rows, const RnnSteps& a, int beta) const {
  const std::int64_t n = columns.of_call * plan_.bk;
  return {.m = static_cast<int>(rows),
          .n = static_cast<int>(n),
          .k = static_cast<int>(a.block),
          .lda = a.block,
          .ldb = n,
          .ldc = row_of_gates(),
          .beta = beta,
          .stride_a = a.block_size(),
          .stride_b = a.block * n};
}

Result<RnnWay> RnnWay::make(const Shape& shape, const RnnPlan& plan, RnnUse use, Backend backend, Isa isa,
                            const SimdTuning& tuning) {
  RnnWay way(shape, plan, use);
  const auto brick = [&](const Columns& columns, std::int64_t rows, const RnnSteps& a, int beta) {
    const std::int64_t bytes_of_a = rows * a.blocks() * a.block * static_cast<std::int64_t>(sizeof(float));
    const BrgemmHints hints{.calls_say_what_is_read_next = plan.bn > kFewSequences,
                            .in_parts = bytes_of_a <= this_machine(1).l2_bytes / kShareOfL2,
                            .tuning = tuning};
    return make_brgemm(way.brick_shape(columns, rows, a, beta), hints, backend, isa);
  };
  auto x_brick = brick(way.of_x_, way.x_rows_, shape.x, 0);
  auto state_brick = brick(way.of_state_, plan.bn, shape.y, 1);
  if (!x_brick) return {x_brick.status(), x_brick.reason()};
  if (!state_brick) return {state_brick.status(), state_brick.reason()};
  way.x_brick_ = *std::move(x_brick);
  way.state_brick_ = *std::move(state_brick);
  if (way.of_reset_.count > 0) {
    auto reset_brick = brick(way.of_reset_, plan.bn, way.reset_steps_, 1);
    if (!reset_brick) return {reset_brick.status(), reset_brick.reason()};
    way.reset_brick_ = *std::move(reset_brick);
  }
  return way;
}

// Element (feature, column, k) of the plain weights [features][G][K] goes to where the task of k has it.
template <class GateOf>
void RnnWay::pack(Columns& columns, const RnnSteps& a, const float* weights, const GateOf& gate_of) {
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(columns_, [](auto&c) { return c.layer >= 0; });
  const std::int64_t n = columns.of_call * plan_.bk;
  std::fill_n(columns.weights.data(), columns.weights.size(), 0.0F);
  const auto task = [&](const auto&, std::int64_t kb, void*) {
    const std::int64_t width = std::min(plan_.bk, K - kb * plan_.bk);
    for (std::int64_t part = 0; part < a.parts; ++part) {
      for (std::int64_t f = 0; f < a.size; ++f) {
        const std::int64_t block = part * a.blocks_of_part() + f / a.block;
        for (std::int64_t c = 0; c < columns.count; ++c) {
          const auto gate = gate_of(columns_[static_cast<std::size_t>(columns.first + c)]);
          float* const row = columns.weights_of(kb, c / columns.of_call) + (block * a.block + f % a.block) * n;
          std::copy_n(weights + ((part * a.size + f) * G + gate) * K + kb * plan_.bk, width,
                      row + c % columns.of_call * plan_.bk);
        }
      }
    }
  };
  parallel_league(Space(), Kb_, 1, 0, task);
}

void RnnWay::set_weights(const float* layer, const float* iter, const float* bias) {
  RnnSteps state = shape_.y;
  state.parts = 1;
  pack(of_x_, shape_.x, layer, [](const GateColumn& c) { return c.layer; });
  pack(of_state_, state, iter, [](const GateColumn& c) { return c.iter; });
  if (of_reset_.count > 0) pack(of_reset_, state, iter, [](const GateColumn& c) { return c.iter; });
  const std::int64_t K = shape_.y.size;
  for (std::int64_t k = 0; k < K; ++k) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::int64_t at = k / plan_.bk * row_of_gates() + static_cast<std::int64_t>(c) * plan_.bk + k % plan_.bk;
      bias_.data()[at] = bias[columns_[c].bias * K + k];
    }
  }
}

void RnnWay::set_c(const float* c0) {
  for (std::int64_t n = 0; n < shape_.y.N; ++n)
    for (std::int64_t k = 0; k < shape_.y.size; ++k)
      c_at(k / plan_.bk, 0)[n * plan_.bk + k % plan_.bk] = c0[n * shape_.y.size + k];
}

void RnnWay::get_c(float* cT) const {
  for (std::int64_t n = 0; n < shape_.y.N; ++n)
    for (std::int64_t k = 0; k < shape_.y.size; ++k) {
      const std::int64_t slot = k / plan_.bk * c_slots_ + c_slots_ - 1;
      cT[n * shape_.y.size + k] = c_.data()[(slot * shape_.y.N + n) * plan_.bk + k % plan_.bk];
    }
}

RnnWay::Chunk RnnWay::chunk_of(std::int64_t step) const {
  const std::int64_t begin = step / plan_.steps * plan_.steps, end = std::min(begin + plan_.steps, shape_.T);
  if (shape_.reversed) return {shape_.T - end, shape_.T - begin};
  return {begin, end};
}

// All calls for the columns, each of which asks for the next one's weights.
void RnnWay::multiply(const BrgemmKernel& brick, const Columns& columns, const float* a, std::int64_t kb, float* c,
                      std::int64_t rows, const float* bias, const Next& next) const {
  const BrgemmShape& shape = brick.shape();
  for (std::int64_t call = 0, k = 0; call < columns.calls(); ++call, k += shape.n) {
    const bool last = call + 1 == columns.calls();
    brick({.batch = strided_batch(shape, a, columns.weights_of(kb, call), columns.weights_of_a_call / shape.stride_b),
           .c = c + k,
           .rows = static_cast<int>(rows),
           .next_a = last ? next.a : 0,
           .read_next = last ? next.columns.weights_of(next.kb, 0) : columns.weights_of(kb, call + 1),
           .read_next_bytes = last ? next.columns.bytes_of_a_call() : columns.bytes_of_a_call(),
           .epilogue = {.bias = bias == nullptr ? nullptr : bias + k}});
  }
}

// Rows of x from `row` on, steps and sequences counted through; `next` is how far on the next ones are, or 0.
void RnnWay::add_x(const float* x, std::int64_t kb, std::int64_t row, std::int64_t rows, std::int64_t next,
                   float* gates) const {
  const RnnSteps& a = shape_.x;
  const float* const bias = bias_.data() + kb * row_of_gates();
  for (std::int64_t r = 0; r < rows; r += x_rows_) {
    const float* const from = x + shape_.first * a.slot_size() + (row + r) * a.block;
    multiply(*x_brick_, of_x_, from, kb, gates + r * row_of_gates(), std::min(x_rows_, rows - r), bias,
             {next * a.block, of_state_, kb});
  }
  // A column that x does not reach.
  const std::int64_t reached = of_x_.count * plan_.bk;
  if (reached == row_of_gates()) return;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::copy(bias + reached, bias + row_of_gates(), gates + r * row_of_gates() + reached);
  }
}

void RnnWay::add_state(const BrgemmKernel& brick, const Columns& columns, const float* state, std::int64_t kb,
                       std::int64_t n, const RnnRows& rows) const {
  const Columns& next = plan_.steps == 1 && &columns == &of_state_ ? of_x_ : columns;
  multiply(brick, columns, state + n * plan_.bh, kb, rows.gates + columns.first * plan_.bk, rows.rows, nullptr,
           {0, next, (kb + 1) % Kb_});
}

RnnWay::Moment RnnWay::moment(std::int64_t step, float* states, const std::int32_t* lengths) {
  const bool training = use_ == RnnUse::training;
  const std::int64_t t = shape_.reversed ? shape_.T - 1 - step : step, slot = shape_.y.slot_size();
  const Chunk chunk = chunk_of(step);
  float* const after = states + (1 + t) * slot;
  return {.t = t,
          .gate_row = (training ? t : t - chunk.begin) * shape_.y.N,
          .c_before = training || step == 0 ? step : 1,
          .c_after = training ? step + 1 : 1,
          .chunk = chunk,
          .new_chunk = step % plan_.steps == 0,
          .before = shape_.reversed ? after + slot : after - slot,
          .after = after,
          .reset = reset_.data() + (training && reset_brick_ ? t * slot : 0),
          .lengths = lengths};
}

RnnRows RnnWay::rows_at(const Moment& m, std::int64_t kb, std::int64_t n, float* tile) {
  const std::int64_t feature = kb * plan_.bk, block = feature / plan_.bh;
  const std::int64_t in_block = n * plan_.bh + feature % plan_.bh, h = block * shape_.y.block_size() + in_block;
  float* const gates = gates_.size() == 0 ? nullptr : gates_at(kb, m.gate_row + n);
  return {.rows = std::min(plan_.bn, shape_.y.N - n),
          .bk = plan_.bk,
          .gates = in_tile() ? tile : gates,
          .kept = use_ == RnnUse::training ? gates : nullptr,
          .h_before = m.before + h,
          .h_after = m.after + h,
          .reset = reset_brick_ ? m.reset + block * reset_steps_.block_size() + in_block : nullptr,
          .ldh = plan_.bh,
          .c_before = c_slots_ > 0 ? c_at(kb, m.c_before) + n * plan_.bk : nullptr,
          .c_after = c_slots_ > 0 ? c_at(kb, m.c_after) + n * plan_.bk : nullptr,
          .lengths = m.lengths == nullptr ? nullptr : m.lengths + n,
          .step = static_cast<std::int32_t>(m.t)};
}

void RnnWay::gates_and_state(const float* x, const Moment& m, std::int64_t kb, std::int64_t n, bool last,
                             const RnnRows& rows) {
  if (plan_.steps == 1) {
    const std::int64_t next = shape_.reversed ? -shape_.x.N : shape_.x.N;
    add_x(x, kb, m.t * shape_.y.N + n, rows.rows, last ? next : 0, rows.gates);
  } else if (m.new_chunk) {
    const std::int64_t first = m.chunk.begin * shape_.y.N;
    add_x(x, kb, first, m.chunk.end * shape_.y.N - first, 0, gates_at(kb, use_ == RnnUse::training ? first : 0));
  }
  add_state(*state_brick_, of_state_, m.before, kb, n, rows);
  rnn_rows(shape_.cell, rows);
}

void RnnWay::run(const float* x, float* y, const std::int32_t* lengths) {
  const std::int64_t Nb = ceil_div(shape_.y.N, plan_.bn), threads = Space().concurrency();
  float* const states = y + shape_.part * shape_.y.blocks_of_part() * shape_.y.block_size();
  const auto all_steps = [&](const auto& team, std::int64_t, void*) {
    const std::int64_t thread = team.rank();
    float* const tile = tiles_.data() + (in_tile() ? thread * plan_.bn * row_of_gates() : 0);
    const std::int64_t tasks = Kb_ * Nb, begin = tasks * thread / threads, end = tasks * (thread + 1) / threads;
    const auto for_each_task = [&](const auto& task) {
      for (std::int64_t i = begin; i < end; ++i) task(i / Nb, i % Nb * plan_.bn, i + Nb >= end);
      team.barrier();
    };
    for (std::int64_t step = 0; step < shape_.T; ++step) {
      const Moment m = moment(step, states, lengths);
      for_each_task([&](std::int64_t kb, std::int64_t n, bool last) {
        gates_and_state(x, m, kb, n, last, rows_at(m, kb, n, tile));
      });
      if (!reset_brick_) continue;
      for_each_task([&](std::int64_t kb, std::int64_t n, bool) {
        const RnnRows rows = rows_at(m, kb, n, tile);
        add_state(*reset_brick_, of_reset_, m.reset, kb, n, rows);
        finish_rnn_rows(shape_.cell, rows);
      });
    }
  };
  parallel_league(Space(), 1, static_cast<int>(threads), 0, all_steps);
}

}  // namespace brickwork
