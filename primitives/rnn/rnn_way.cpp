#include "rnn/rnn_way.hpp"

#include <algorithm>

#include "league.hpp"

namespace brickwork {
namespace {

// Equal numbers, of no more columns than the brick's widest tile holds side by side: where a call has three such tiles,
// the rows of B that one of them reads are not next to each other, and GRUs of 256 to 1024 features take 1 to 6 % more
// (Zen 5).
std::int64_t columns_of_call(std::int64_t count, std::int64_t bk) {
  std::int64_t columns = clamp(kColumnsOfTile / bk, 1, count);
  while (count % columns != 0) --columns;
  return columns;
}

// Those of the cell that `has` chooses, which stand side by side.
template <class Has>
RnnColumns columns_of(RnnCell cell, const RnnSteps& a, std::int64_t bk, const Has& has) {
  const auto all = gate_columns(cell);
  const auto first = std::ranges::find_if(all, has), end = std::find_if_not(first, all.end(), has);
  RnnColumns c{.first = first - all.begin(), .count = end - first};
  if (c.count == 0) return c;
  c.of_call = columns_of_call(c.count, bk);
  c.weights_of_a_call = a.blocks() * a.block * c.of_call * bk;
  return c;
}

RnnForwardGeometry geometry_of(const RnnWay::Shape& shape, const RnnPlan& plan, RnnUse use, const RnnPlace& place) {
  const bool training = use == RnnUse::training, has_c = shape.cell == RnnCell::lstm;
  RnnSteps state = shape.y;
  state.parts = 1;
  RnnSteps reset = state;
  reset.slots = training ? shape.T : 1;
  const auto columns = [&](const RnnSteps& a, bool (*has)(const GateColumn&)) {
    return columns_of(shape.cell, a, plan.bk, has);
  };
  return {
      .cell = shape.cell,
      .reversed = shape.reversed,
      .training = training,
      .apart = place.apart(),
      .T = shape.T,
      .N = shape.y.N,
      .Kb = ceil_div(shape.y.size, plan.bk),
      .bk = plan.bk,
      .bn = plan.bn,
      .steps = plan.steps,
      .x = shape.x,
      .y = state,
      .reset = reset,
      .of_x = columns(shape.x, [](const GateColumn& c) { return c.layer >= 0; }),
      .of_state = columns(state, [](const GateColumn& c) { return c.iter >= 0 && !c.of_reset; }),
      .of_reset = columns(state, [](const GateColumn& c) { return c.of_reset; }),
      .columns = static_cast<std::int64_t>(gate_columns(shape.cell).size()),
      .gate_rows = (training ? shape.T : plan.steps) * shape.y.N,
      .c_slots = !has_c     ? 0
                 : training ? shape.T + 1
                            : 2,
      .x_rows = equal_block(plan.steps == 1 && !place.apart() ? plan.bn : plan.steps * shape.y.N, place.rows_of_x())};
}

}  // namespace

RnnWay::RnnWay(const Shape& shape, const RnnPlan& plan, RnnUse use, const RnnPlace& place)
    : shape_(shape), g_(geometry_of(shape, plan, use, place)) {
  const auto weights = [&](const RnnColumns& c) {
    return Placed<float>(g_.Kb * c.calls() * c.weights_of_a_call, place);
  };
  weights_of_x_ = weights(g_.of_x);
  weights_of_state_ = weights(g_.of_state);
  weights_of_reset_ = weights(g_.of_reset);
  bias_ = {g_.Kb * g_.row_of_gates(), place};
  gates_ = {g_.training || !g_.in_tile() ? g_.Kb * g_.gate_rows * g_.row_of_gates() : 0, place};
  tiles_ = {g_.in_tile() ? place.workers(g_.turns().tasks()) * plan.bn * g_.row_of_gates() : 0, place};
  c_ = {g_.Kb * g_.c_slots * g_.N * plan.bk, place};
  reset_ = {g_.resets() ? g_.reset.elements() : 0, place};
}

Result<RnnWay> RnnWay::make(const Shape& shape, const RnnPlan& plan, RnnUse use, const RnnPlace& place) {
  RnnWay way(shape, plan, use, place);
  auto pass = place.forward(way.g_);
  if (!pass) return {pass.status(), pass.reason()};
  way.pass_ = *std::move(pass);
  return way;
}

// Element (feature, column, k) of the plain weights [features][G][K] goes to where the task of k has it.
template <class GateOf>
void RnnWay::pack(const RnnColumns& columns, const RnnSteps& a, const float* weights, const GateOf& gate_of,
                  Placed<float>& packed) const {
  const auto all = gate_columns(g_.cell);
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(all, [](auto&c) { return c.layer >= 0; });
  const std::int64_t bk = g_.bk, n = columns.of_call * bk;
  float* const to = packed.host();
  std::fill_n(to, packed.size(), 0.0F);
  const auto task = [&](const auto&, std::int64_t kb, void*) {
    const std::int64_t width = std::min(bk, K - kb * bk);
    for (std::int64_t part = 0; part < a.parts; ++part) {
      for (std::int64_t f = 0; f < a.size; ++f) {
        const std::int64_t block = part * a.blocks_of_part() + f / a.block;
        for (std::int64_t c = 0; c < columns.count; ++c) {
          const auto gate = gate_of(all[static_cast<std::size_t>(columns.first + c)]);
          float* const row = to + columns.weights_at(kb, c / columns.of_call) + (block * a.block + f % a.block) * n;
          std::copy_n(weights + ((part * a.size + f) * G + gate) * K + kb * bk, width, row + c % columns.of_call * bk);
        }
      }
    }
  };
  parallel_league(Kokkos::DefaultHostExecutionSpace(), g_.Kb, 1, 0, task);
  packed.send();
}

void RnnWay::set_weights(const float* layer, const float* iter, const float* bias) {
  const auto iter_of = [](const GateColumn& c) { return c.iter; };
  pack(
      g_.of_x, g_.x, layer, [](const GateColumn& c) { return c.layer; }, weights_of_x_);
  pack(g_.of_state, g_.y, iter, iter_of, weights_of_state_);
  if (g_.resets()) pack(g_.of_reset, g_.y, iter, iter_of, weights_of_reset_);
  const std::int64_t K = shape_.y.size, bk = g_.bk;
  const auto all = gate_columns(g_.cell);
  for (std::int64_t k = 0; k < K; ++k) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      bias_.host()[k / bk * g_.row_of_gates() + static_cast<std::int64_t>(c) * bk + k % bk] = bias[all[c].bias * K + k];
    }
  }
  bias_.send();
}

void RnnWay::set_c(const float* c0) {
  const std::int64_t K = shape_.y.size, bk = g_.bk;
  for (std::int64_t n = 0; n < g_.N; ++n)
    for (std::int64_t k = 0; k < K; ++k) c_.host()[g_.c_at(k / bk, 0, n) + k % bk] = c0[n * K + k];
  c_.send();
}

void RnnWay::get_c(float* cT) const {
  const std::int64_t K = shape_.y.size, bk = g_.bk;
  const float* const c = c_.fetched();
  for (std::int64_t n = 0; n < g_.N; ++n)
    for (std::int64_t k = 0; k < K; ++k) cT[n * K + k] = c[g_.c_at(k / bk, g_.c_slots - 1, n) + k % bk];
}

RnnForwardData RnnWay::data(const float* x, float* y, const std::int32_t* lengths) const {
  return {.x = x == nullptr ? nullptr : x + shape_.first * shape_.x.slot_size(),
          .weights_of_x = weights_of_x_.data(),
          .weights_of_state = weights_of_state_.data(),
          .weights_of_reset = weights_of_reset_.data(),
          .bias = bias_.data(),
          .states = y + shape_.part * shape_.y.blocks_of_part() * shape_.y.block_size(),
          .gates = gates_.data(),
          .tiles = tiles_.data(),
          .c = c_.data(),
          .reset = reset_.data(),
          .lengths = lengths};
}

void RnnWay::run(const float* x, float* y, const std::int32_t* lengths) { pass_->run(data(x, y, lengths)); }

}  // namespace brickwork
