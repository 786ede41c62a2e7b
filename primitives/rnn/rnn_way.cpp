#include "rnn/rnn_way.hpp"

#include <algorithm>

#include "league.hpp"

namespace brickwork {

RnnWay::RnnWay(const RnnWayShape& shape, const RnnPlan& plan, bool training, const RnnSizes& sizes,
               const RnnPlace& place)
    : shape_(shape),
      g_(rnn_forward_geometry(shape, plan, training, sizes)),
      bias_(g_.Kb * g_.row_of_gates(), place),
      c_(g_.c.elements(), place) {
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    weights_[operand] = {g_.of[operand].weights_at(g_.Kb, 0), place};
    data_.weights[operand] = weights_[operand].data();
  }
  data_.bias = bias_.data();
  data_.c = c_.data();
  if (training || !g_.in_tile()) data_.gates = new_floats(g_.Kb * g_.gate_rows * g_.row_of_gates(), place);
  if (g_.in_tile()) data_.tiles = new_floats(sizes.threads * g_.bn * g_.row_of_gates(), place);
  if (g_.resets()) data_.reset = new_floats(g_.of[kRnnReset].a.elements(), place);
}

void RnnWay::make_backward(const RnnSizes& sizes, const RnnPlace& place) {
  back_ = rnn_backward_geometry(g_, sizes);
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    transposed_[operand] = {back_.of[operand].size, place};
    back_data_.weights[operand] = transposed_[operand].data();
  }
  dhT_ = {back_.dh.elements(), place};
  dh_ = {back_.dh.elements(), place};
  dcT_ = {back_.dc.elements(), place};
  dc_ = {back_.dc.elements(), place};
  gradients_ = {back_.size_of_gradients, place};
  ones_ = {back_.rows(), place};
  std::fill_n(ones_.host(), ones_.size(), 1.0F);
  ones_.send();
  back_data_.dhT = dhT_.data();
  back_data_.dcT = dcT_.data();
  back_data_.dh = dh_.data();
  back_data_.dc = dc_.data();
  back_data_.products = new_floats(back_.shares * back_.dh.elements(), place);
  back_data_.dgates = new_floats(back_.Db * back_.rows() * back_.row_of_dgates, place);
  back_data_.gradients = {gradients_.data(), new_floats((back_.parts_of_update - 1) * back_.size_of_gradients, place),
                          back_.size_of_gradients};
  back_data_.ones = ones_.data();
}

float* RnnWay::new_floats(std::int64_t size, const RnnPlace& place) { return memory_.emplace_back(size, place).data(); }

Result<RnnWay> RnnWay::make(const RnnWayShape& shape, const RnnPlan& plan, RnnUse use, const RnnPlace& place) {
  const RnnSizes sizes = place.sizes(shape.y.N, plan.bn, whole_blocks(shape.y.size, plan.bk));
  RnnWay way(shape, plan, use == RnnUse::training, sizes, place);
  if (use == RnnUse::training) way.make_backward(sizes, place);
  auto passes = place.passes(way.g_, use == RnnUse::training ? &way.back_ : nullptr);
  if (!passes) return {passes.status(), passes.reason()};
  way.passes_ = *std::move(passes);
  return way;
}

// on(feature, column, at): of each feature of an operand, its padding counted, and each of its columns where the row of
// K features begins in the plain weights [features][G][K].
template <class On>
void RnnWay::for_each_row(int operand, const On& on) const {
  const auto all = gate_columns(g_.cell);
  const RnnColumns& of = g_.of[operand];
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(all, [](auto&c) { return c.layer >= 0; });
  const auto task = [&](const auto&, std::int64_t plain, void*) {
    const std::int64_t feature = plain / of.a.size * of.a.blocks_of_part() * of.a.block + plain % of.a.size;
    for (std::int64_t column = 0; column < of.count; ++column) {
      const GateColumn& gates = all[static_cast<std::size_t>(of.first + column)];
      on(feature, column, (plain * G + (operand == kRnnX ? gates.layer : gates.iter)) * K);
    }
  };
  parallel_league(Kokkos::DefaultHostExecutionSpace(), of.a.parts * of.a.size, 1, 0, task);
}

// To where the tasks of their blocks of K have them.
void RnnWay::pack(int operand, const float* weights) {
  const RnnColumns& of = g_.of[operand];
  const std::int64_t bk = g_.bk, of_call = of.n / bk;
  float* const to = weights_[operand].host();
  for_each_row(operand, [&](std::int64_t feature, std::int64_t column, std::int64_t at) {
    float* const row = to + feature * of.n + column % of_call * bk;
    for (std::int64_t k = 0; k < shape_.y.size; k += bk) {
      std::copy_n(weights + at + k, std::min(bk, shape_.y.size - k), row + of.weights_at(k / bk, column / of_call));
    }
  });
  weights_[operand].send();
}

// To row k of its column, column feature.
void RnnWay::pack_transposed(int operand, const float* weights) {
  const std::int64_t bd = back_.bd, block = back_.of[operand].block, count = g_.of[operand].count;
  float* const to = transposed_[operand].host();
  for_each_row(operand, [&](std::int64_t feature, std::int64_t column, std::int64_t at) {
    const std::int64_t first = feature / block * back_.Db * count * bd;
    for (std::int64_t k = 0; k < shape_.y.size; ++k) {
      to[(first + (k / bd * count + column) * bd + k % bd) * block + feature % block] = weights[at + k];
    }
  });
  transposed_[operand].send();
}

void RnnWay::unpack_gradient(int operand, const float* gradients, float* gradient) const {
  const RnnColumns& of = g_.of[operand];
  const std::int64_t bd = back_.bd, features = of.a.blocks() * of.a.block;
  const float* const from = gradients + back_.of[operand].gradient;
  for_each_row(operand, [&](std::int64_t feature, std::int64_t column, std::int64_t at) {
    for (std::int64_t k = 0; k < shape_.y.size; ++k) {
      gradient[at + k] = from[((k / bd * features + feature) * of.count + column) * bd + k % bd];
    }
  });
}

// on(plain, packed) of each element of the bias, where it has blocks of so many features.
template <class On>
void RnnWay::for_each_bias(std::int64_t block, const On& on) const {
  const auto all = gate_columns(g_.cell);
  const std::int64_t K = shape_.y.size;
  for (std::int64_t column = 0; column < g_.columns; ++column) {
    for (std::int64_t k = 0; k < K; ++k) {
      on(all[static_cast<std::size_t>(column)].bias * K + k, (k / block * g_.columns + column) * block + k % block);
    }
  }
}

void RnnWay::set_weights(const float* layer, const float* iter, const float* bias) {
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    pack(operand, operand == kRnnX ? layer : iter);
    if (g_.training) pack_transposed(operand, operand == kRnnX ? layer : iter);
  }
  for_each_bias(g_.bk, [&](std::int64_t plain, std::int64_t packed) { bias_.host()[packed] = bias[plain]; });
  bias_.send();
}

void RnnWay::set_states(const float* h0, float* y, const float* c0) {
  pack_steps(g_.of[kRnnState].a, g_.slot_before(g_.time_of(0)), 1, h0, part_of(y));
  if (c_.size() == 0) return;
  pack_steps(g_.c, 0, 1, c0, c_.host());
  c_.send();
}

void RnnWay::get_states(const float* y, float* hT, float* cT) const {
  unpack_steps(g_.of[kRnnState].a, 1 + g_.time_of(g_.T - 1), 1, part_of(y), hT);
  if (c_.size() > 0) unpack_steps(g_.c, g_.c.slots - 1, 1, c_.fetched(), cT);
}

RnnForwardData RnnWay::data(const float* x, float* y, const std::int32_t* lengths) const {
  RnnForwardData d = data_;
  d.x = x == nullptr ? nullptr : x + shape_.first * shape_.x.slot_size();
  d.states = part_of(y);
  d.lengths = lengths;
  return d;
}

void RnnWay::run(const float* x, float* y, const std::int32_t* lengths) { passes_.forward(data(x, y, lengths)); }

void RnnWay::set_state_gradients(const float* dhT, const float* dcT) {
  pack_steps(back_.dh, 0, 1, dhT, dhT_.host());
  dhT_.send();
  if (dcT_.size() == 0) return;
  pack_steps(back_.dc, 0, 1, dcT, dcT_.host());
  dcT_.send();
}

void RnnWay::run_backward_data(float* y, const float* dy, const std::int32_t* lengths) {
  RnnBackwardData d = back_data_;
  d.forward = data(nullptr, y, lengths);
  d.dstates = part_of(dy);
  passes_.backward_data(d);
}

void RnnWay::run_gradient_of_x(float* dx, bool accumulate) {
  RnnBackwardData d = back_data_;
  d.dx = dx + shape_.first * shape_.x.slot_size();
  d.adds_to_dx = accumulate;
  passes_.gradient_of_x(d);
}

void RnnWay::run_weight_update(const float* x, float* y) {
  RnnBackwardData d = back_data_;
  d.forward = data(x, y, nullptr);
  passes_.weight_update(d);
}

void RnnWay::get_state_gradients(float* dh0, float* dc0) const {
  unpack_steps(back_.dh, 0, 1, dh_.fetched(), dh0);
  if (dc_.size() > 0) unpack_steps(back_.dc, 0, 1, dc_.fetched(), dc0);
}

void RnnWay::get_weight_gradients(float* layer, float* iter, float* bias) const {
  const float* const all = gradients_.fetched();
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    unpack_gradient(operand, all, operand == kRnnX ? layer : iter);
  }
  for_each_bias(back_.bd, [&](std::int64_t plain, std::int64_t packed) {
    bias[plain] = all[back_.of[kRnnOnes].gradient + packed];
  });
}

}  // namespace brickwork
