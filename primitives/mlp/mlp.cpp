#include "mlp/mlp.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "conv/conv_pack.hpp"
#include "elementwise/elementwise_blocks.hpp"
#include "fc/fc_layers.hpp"

namespace brickwork {
namespace {

// Four AVX-512 vectors: what all three passes like to have as rows of weights.
constexpr std::int64_t kMlpBlock = 64;

AlignedBuffer<float> zeros(std::int64_t size) { return AlignedBuffer<float>(static_cast<std::size_t>(size)); }

// The weights' blocks [K/bk][C/bc][bc][bk] become [C/bc][K/bk][bk][bc], as backward by data reads them.
void transpose_blocks(const WeightLayout& l, const float* from, float* to) {
  for_each_slice(l.Kb(), l.Cb(), [&](auto kb, auto cb) {
    const float* block = from + l.tap(kb, cb, 0, 0);
    float* transposed = to + (cb * l.Kb() + kb) * l.block_size();
    for (std::int64_t c = 0; c < l.bc; ++c) {
      for (std::int64_t k = 0; k < l.bk; ++k) transposed[k * l.bc + c] = block[c * l.bk + k];
    }
  });
}

void descend(float rate, const AlignedBuffer<float>& gradient, AlignedBuffer<float>& parameters) {
  for_each_block(static_cast<std::int64_t>(parameters.size()), [&](std::int64_t first, std::size_t count) {
    float* const to = parameters.data() + first;
    for (std::size_t i = 0; i < count; ++i) to[i] -= rate * gradient.data()[first + static_cast<std::int64_t>(i)];
  });
}

}  // namespace

Result<Mlp> Mlp::make(const MlpSizes& sizes, const MachineModel& machine, Backend backend, Isa isa,
                      const SimdTuning& tuning) {
  if (sizes.widths.size() < 2) throw std::invalid_argument("an MLP needs the widths of its input and of one layer");
  Mlp mlp;
  for (std::size_t i = 0; i + 1 < sizes.widths.size(); ++i) {
    const bool last = i + 2 == sizes.widths.size();
    FcProblem layer{.N = sizes.N, .C = sizes.widths[i], .K = sizes.widths[i + 1]};
    layer.validate();
    const std::int64_t bc = equal_block(layer.C, kMlpBlock), bk = equal_block(layer.K, kMlpBlock);
    ConvProblem conv = conv_of(layer);
    conv.epilogue = {.bias = true, .activation = last ? Activation::none : Activation::relu};
    auto forward = ConvForward::make(conv, plan_conv_forward(conv, machine, backend, {bc, bk}), backend, isa, tuning);
    if (!forward) return {forward.status(), forward.reason()};
    // Through the ReLU that made src. (The first layer's is never run.)
    conv.epilogue = {.activation = Activation::relu, .derivative = true};
    auto backward_data =
        ConvBackwardData::make(conv, plan_conv_backward_data(conv, machine, backend, {bk, bc}), backend, isa, tuning);
    if (!backward_data) return {backward_data.status(), backward_data.reason()};
    conv.epilogue = {.bias = true};
    auto update = ConvWeightUpdate::make(conv, plan_conv_update(conv, machine, {bc, bk}), backend, isa, tuning);
    if (!update) return {update.status(), update.reason()};
    const std::int64_t weights = forward->weights_layout().size(), dst = forward->dst_layout().size(),
                       bias = forward->dst_layout().Cb() * bk;
    if (i == 0) mlp.src_ = zeros(forward->src_layout().size());
    mlp.layers_.push_back({*std::move(forward), *std::move(backward_data), *std::move(update), zeros(weights),
                           zeros(weights), zeros(bias), zeros(weights), zeros(bias), zeros(dst), zeros(dst)});
  }
  return mlp;
}

void Mlp::set_parameters(std::size_t layer, const float* weights, const float* bias) {
  Layer& l = layers_.at(layer);
  pack_kcrs(l.forward.weights_layout(), weights, l.weights.data());
  std::copy_n(bias, l.forward.dst_layout().C, l.bias.data());
}

void Mlp::get_parameters(std::size_t layer, float* weights, float* bias) const {
  const Layer& l = layers_.at(layer);
  unpack_kcrs(l.forward.weights_layout(), l.weights.data(), weights);
  std::copy_n(l.bias.data(), l.forward.dst_layout().C, bias);
}

void Mlp::get_gradients(std::size_t layer, float* dweights, float* dbias) const {
  const Layer& l = layers_.at(layer);
  unpack_kcrs(l.forward.weights_layout(), l.dweights.data(), dweights);
  std::copy_n(l.dbias.data(), l.forward.dst_layout().C, dbias);
}

void Mlp::pack_src(const float* src) { pack_nhwc(layers_.front().forward.src_layout(), src, src_.data()); }
void Mlp::unpack_dst(float* dst) const {
  unpack_nhwc(layers_.back().forward.dst_layout(), layers_.back().dst.data(), dst);
}
void Mlp::pack_ddst(const float* ddst) {
  pack_nhwc(layers_.back().forward.dst_layout(), ddst, layers_.back().ddst.data());
}

void Mlp::forward() {
  for (std::size_t i = 0; i < depth(); ++i) {
    Layer& l = layers_[i];
    l.forward.run(src_of(i), l.weights.data(), l.bias.data(), nullptr, l.dst.data());
  }
}

void Mlp::backward() {
  for (std::size_t i = depth(); i-- > 0;) {
    Layer& l = layers_[i];
    l.weight_update.run(src_of(i), l.ddst.data(), l.dweights.data(), l.dbias.data());
    if (i == 0) return;
    transpose_blocks(l.forward.weights_layout(), l.weights.data(), l.transposed.data());
    l.backward_data.run(l.ddst.data(), l.transposed.data(), nullptr, src_of(i), layers_[i - 1].ddst.data());
  }
}

void Mlp::step(float rate) {
  for (Layer& l : layers_) {
    descend(rate, l.dweights, l.weights);
    descend(rate, l.dbias, l.bias);
  }
}

}  // namespace brickwork
