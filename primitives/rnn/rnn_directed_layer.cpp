#include "primitives/rnn/rnn_directed_layer.hpp"

#include <algorithm>

#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

// on(feature, column, at) for each column of each feature of an operand. `feature` counts padding; `at` is where the
// row of K values begins in the plain weights [directions][features][G][K].
template <class On>
void for_each_row(const RnnForwardGeometry& g, int operand, const On& on) {
  const auto all = gate_columns(g.cell);
  const RnnColumns& of = g.of[operand];
  const std::int64_t K = g.c.size, G = std::ranges::count_if(all, [](auto&c) { return c.layer >= 0; });
  const std::int64_t features = of.a.parts * of.a.size;
  const auto task = [&](const auto&, std::int64_t plain, void*) {
    const std::int64_t feature = plain / of.a.size * of.a.blocks_of_part() * of.a.block + plain % of.a.size;
    for (std::int64_t column = 0; column < of.count; ++column) {
      const GateColumn& gates = all[static_cast<std::size_t>(of.first + column)];
      on(feature, column, ((g.direction * features + plain) * G + (operand == kRnnX ? gates.layer : gates.iter)) * K);
    }
  };
  parallel_league(Kokkos::DefaultHostExecutionSpace(), features, 1, 0, task);
}

// Packs weights so that a task of a block of K reads them in order.
void pack(const RnnForwardGeometry& g, int operand, const float* weights, TargetArray<float>& packed) {
  const RnnColumns& of = g.of[operand];
  const std::int64_t K = g.c.size, of_call = of.n / g.bk;
  float* const to = packed.host();
  for_each_row(g, operand, [&](std::int64_t feature, std::int64_t column, std::int64_t at) {
    float* const row = to + feature * of.n + column % of_call * g.bk;
    for (std::int64_t k = 0; k < K; k += g.bk) {
      std::copy_n(weights + at + k, std::min(g.bk, K - k), row + of.weights_at(k / g.bk, column / of_call));
    }
  });
  packed.send();
}

// Packs weights transposed: a row for each k of each column, a column for each feature.
void pack_transposed(const RnnBackwardGeometry& g, int operand, const float* weights, TargetArray<float>& packed) {
  const std::int64_t block = g.of[operand].block, count = g.forward.of[operand].count;
  float* const to = packed.host();
  for_each_row(g.forward, operand, [&](std::int64_t feature, std::int64_t column, std::int64_t at) {
    const std::int64_t first = feature / block * g.Db * count * g.bd;
    for (std::int64_t k = 0; k < g.dh.size; ++k) {
      to[(first + (k / g.bd * count + column) * g.bd + k % g.bd) * block + feature % block] = weights[at + k];
    }
  });
  packed.send();
}

void unpack_gradient(const RnnBackwardGeometry& g, int operand, const float* gradients, float* gradient) {
  const RnnColumns& of = g.forward.of[operand];
  const std::int64_t features = of.a.blocks() * of.a.block;
  const float* const from = gradients + g.of[operand].gradient;
  for_each_row(g.forward, operand, [&](std::int64_t feature, std::int64_t column, std::int64_t at) {
    for (std::int64_t k = 0; k < g.dh.size; ++k) {
      gradient[at + k] = from[((k / g.bd * features + feature) * of.count + column) * g.bd + k % g.bd];
    }
  });
}

// on(plain, packed) for each element of the bias [directions][biases][K], packed in blocks of `block` features.
template <class On>
void for_each_bias(const RnnForwardGeometry& g, std::int64_t block, const On& on) {
  const auto all = gate_columns(g.cell);
  for (std::int64_t column = 0; column < g.columns; ++column) {
    for (std::int64_t k = 0; k < g.c.size; ++k) {
      on((g.direction * g.columns + all[static_cast<std::size_t>(column)].bias) * g.c.size + k,
         (k / block * g.columns + column) * block + k % block);
    }
  }
}

}  // namespace

RnnDirectedLayer::RnnDirectedLayer(const RnnLayerShape& shape, const RnnPlan& plan, bool training,
                                   const RnnSizes& sizes, const RnnTarget& target)
    : shape_(shape),
      g_(rnn_forward_geometry(shape, plan, training, sizes)),
      bias_(g_.Kb * g_.row_of_gates(), target),
      c_(g_.c.elements(), target) {
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    weights_[operand] = {g_.of[operand].weights_at(g_.Kb, 0), target};
    data_.weights[operand] = weights_[operand].data();
  }
  data_.bias = bias_.data();
  data_.c = c_.data();
  if (training || !g_.in_tile()) data_.gates = new_floats(g_.Kb * g_.gate_rows * g_.row_of_gates(), target);
  if (g_.in_tile()) data_.tiles = new_floats(sizes.threads * g_.bn * g_.row_of_gates(), target);
  if (g_.resets()) data_.reset = new_floats(g_.of[kRnnReset].a.elements(), target);
}

void RnnDirectedLayer::make_backward(const RnnSizes& sizes, const RnnTarget& target) {
  back_ = rnn_backward_geometry(g_, sizes);
  const auto make = [&](TargetArray<float>& to, std::int64_t size) {
    to = {size, target};
    return to.data();
  };
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    back_data_.weights[operand] = make(transposed_[operand], back_.of[operand].size);
  }
  back_data_.dhT = make(dhT_, back_.dh.elements());
  back_data_.dh = make(dh_, back_.dh.elements());
  back_data_.dcT = make(dcT_, back_.dc.elements());
  back_data_.dc = make(dc_, back_.dc.elements());
  back_data_.ones = make(ones_, back_.rows());
  std::fill_n(ones_.host(), ones_.size(), 1.0F);
  ones_.send();
  back_data_.products = new_floats(back_.shares * back_.dh.elements(), target);
  back_data_.dgates = new_floats(back_.Db * back_.rows() * back_.row_of_dgates, target);
  back_data_.gradients = {make(gradients_, back_.size_of_gradients),
                          new_floats((back_.parts_of_update - 1) * back_.size_of_gradients, target),
                          back_.size_of_gradients};
}

float* RnnDirectedLayer::new_floats(std::int64_t size, const RnnTarget& target) {
  return memory_.emplace_back(size, target).data();
}

Result<RnnDirectedLayer> RnnDirectedLayer::make(const RnnLayerShape& shape, const RnnPlan& plan, RnnUse use,
                                                const RnnTarget& target) {
  const RnnSizes sizes = target.sizes(shape.y.N, plan.bn, whole_blocks(shape.y.size, plan.bk));
  RnnDirectedLayer layer(shape, plan, use == RnnUse::training, sizes, target);
  if (use == RnnUse::training) layer.make_backward(sizes, target);
  auto passes = target.passes(layer.g_, use == RnnUse::training ? &layer.back_ : nullptr);
  if (!passes) return {passes.status(), passes.reason()};
  layer.passes_ = *std::move(passes);
  return layer;
}

void RnnDirectedLayer::set_weights(const float* layer, const float* iter, const float* bias) {
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    const float* const weights = operand == kRnnX ? layer : iter;
    pack(g_, operand, weights, weights_[operand]);
    if (g_.training) pack_transposed(back_, operand, weights, transposed_[operand]);
  }
  for_each_bias(g_, g_.bk, [&](std::int64_t plain, std::int64_t packed) { bias_.host()[packed] = bias[plain]; });
  bias_.send();
}

void RnnDirectedLayer::set_states(const float* h0, float* y, const float* c0) {
  pack_steps(g_.of[kRnnState].a, g_.slot_before(g_.time_of(0)), 1, h0, part_of(y));
  if (c_.size() == 0) return;
  pack_steps(g_.c, 0, 1, c0, c_.host());
  c_.send();
}

void RnnDirectedLayer::get_states(const float* y, float* hT, float* cT) const {
  unpack_steps(g_.of[kRnnState].a, 1 + g_.time_of(g_.T - 1), 1, part_of(y), hT);
  if (c_.size() > 0) unpack_steps(g_.c, g_.c.slots - 1, 1, c_.fetched(), cT);
}

RnnForwardData RnnDirectedLayer::data(const float* x, float* y, const std::int32_t* lengths) const {
  RnnForwardData d = data_;
  d.x = x == nullptr ? nullptr : x + shape_.first * shape_.x.slot_size();
  d.states = part_of(y);
  d.lengths = lengths;
  return d;
}

void RnnDirectedLayer::run(const float* x, float* y, const std::int32_t* lengths) {
  passes_.forward(data(x, y, lengths));
}

void RnnDirectedLayer::set_state_gradients(const float* dhT, const float* dcT) {
  pack_steps(back_.dh, 0, 1, dhT, dhT_.host());
  dhT_.send();
  if (dcT_.size() == 0) return;
  pack_steps(back_.dc, 0, 1, dcT, dcT_.host());
  dcT_.send();
}

void RnnDirectedLayer::run_backward_data(float* y, const float* dy, const std::int32_t* lengths) {
  RnnBackwardData d = back_data_;
  d.forward = data(nullptr, y, lengths);
  d.dstates = part_of(dy);
  passes_.backward_data(d);
}

void RnnDirectedLayer::run_gradient_of_x(float* dx, bool accumulate) {
  RnnBackwardData d = back_data_;
  d.dx = dx + shape_.first * shape_.x.slot_size();
  d.adds_to_dx = accumulate;
  passes_.gradient_of_x(d);
}

void RnnDirectedLayer::run_weight_update(const float* x, float* y) {
  RnnBackwardData d = back_data_;
  d.forward = data(x, y, nullptr);
  passes_.weight_update(d);
}

void RnnDirectedLayer::get_state_gradients(float* dh0, float* dc0) const {
  unpack_steps(back_.dh, 0, 1, dh_.fetched(), dh0);
  if (dc_.size() > 0) unpack_steps(back_.dc, 0, 1, dc_.fetched(), dc0);
}

void RnnDirectedLayer::get_weight_gradients(float* layer, float* iter, float* bias) const {
  const float* const all = gradients_.fetched();
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    unpack_gradient(back_, operand, all, operand == kRnnX ? layer : iter);
  }
  for_each_bias(g_, back_.bd, [&](std::int64_t plain, std::int64_t packed) {
    bias[plain] = all[back_.of[kRnnOnes].gradient + packed];
  });
}

}  // namespace brickwork
