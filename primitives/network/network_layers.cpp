#include "primitives/network/network_layers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/batch_norm/batch_norm.hpp"
#include "primitives/batch_norm/running_statistics.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/backward/stride_phases.hpp"
#include "primitives/conv/conv_pack.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/conv/winograd/conv_winograd.hpp"
#include "primitives/conv/winograd/conv_winograd_update.hpp"
#include "primitives/fc/fc_layers.hpp"
#include "primitives/pool/pool.hpp"

namespace brickwork {
namespace {

using Role = NetworkParameter::Role;

// A convolution, or a fully connected layer as one.
class ProductPasses final : public LayerPasses {
 public:
  // `behind` is the activation that made src; the gradient of src includes its derivative. A layer that reads the
  // images computes no gradient of them. With `adds`, the gradient is added to what other layers have left.
  static Result<LayerPassesPtr> make(const ConvProblem& conv, Activation behind, bool wants_dsrc, bool adds,
                                     const NetworkBrick& brick) {
    const auto& [machine, backend, isa, tuning, of_convolutions] = brick;
    const std::int64_t bc = machine.block_of(conv.C), bk = machine.block_of(conv.K);
    auto passes = std::make_unique<ProductPasses>();
    auto forward = ConvForward::make(conv, plan_conv_forward(conv, machine, backend, {bc, bk}), backend, isa, tuning);
    if (!forward) return {forward.status(), forward.reason()};
    passes->forward_ = *std::move(forward);
    auto by_winograd = winograd(forward_view(conv), {bc, bk}, brick);
    if (!by_winograd) return {by_winograd.status(), by_winograd.reason()};
    passes->winograd_ = *std::move(by_winograd);

    ConvProblem back = conv;
    if (wants_dsrc) {
      back.epilogue = {.residual = adds, .activation = behind, .derivative = behind != Activation::none};
      auto back_by_winograd = winograd(backward_phases(back).front().view, {bk, bc}, brick);
      if (!back_by_winograd) return {back_by_winograd.status(), back_by_winograd.reason()};
      passes->winograd_back_ = *std::move(back_by_winograd);
      if (!passes->winograd_back_) {
        auto data = ConvBackwardData::make(back, plan_conv_backward_data(back, machine, backend, {bk, bc}), backend,
                                           isa, tuning);
        if (!data) return {data.status(), data.reason()};
        passes->backward_data_ = *std::move(data);
      }
    }

    back.epilogue = {.bias = conv.epilogue.bias};
    if (passes->winograd_ && !back.epilogue.bias) {
      auto update = ConvWinogradUpdate::make(back, plan_winograd_update(forward_view(back), machine, {bc, bk}), backend,
                                             isa, tuning, passes->ddst_pad());
      if (!update) return {update.status(), update.reason()};
      passes->winograd_update_ = *std::move(update);
    } else {
      auto update = ConvWeightUpdate::make(back, plan_conv_update(back, machine, {bc, bk}), backend, isa, tuning,
                                           passes->ddst_pad());
      if (!update) return {update.status(), update.reason()};
      passes->weight_update_ = *std::move(update);
    }
    const auto size_of = [](const auto& driver) { return driver ? driver->weights_size() : 0; };
    passes->prepared_ = AlignedBuffer<float>(static_cast<std::size_t>(
        std::max({size_of(passes->winograd_), size_of(passes->winograd_back_), size_of(passes->backward_data_)})));
    return LayerPassesPtr(std::move(passes));
  }

  std::int64_t src_pad() const override { return forward_->src_layout().pad_w; }
  std::int64_t ddst_pad() const override {
    return winograd_back_   ? winograd_back_->src_layout().pad_w
           : backward_data_ ? backward_data_->ddst_layout().pad_w
                            : 0;
  }

  std::int64_t size_of(Role role) const override {
    const ActivationLayout& dst = forward_->dst_layout();
    return role == Role::weights ? forward_->weights_layout().size() : dst.Cb() * dst.bc;
  }
  void pack(Role role, const float* plain, float* blocked) const override {
    if (role == Role::weights) return pack_kcrs(forward_->weights_layout(), plain, blocked);
    std::copy_n(plain, forward_->dst_layout().C, blocked);
  }
  void unpack(Role role, const float* blocked, float* plain) const override {
    if (role == Role::weights) return unpack_kcrs(forward_->weights_layout(), blocked, plain);
    std::copy_n(blocked, forward_->dst_layout().C, plain);
  }

  std::string_view isa() const override { return forward_->isa(); }
  void forward() override {
    if (!winograd_) return forward_->run(t_.src.data, p_.weights, p_.bias, nullptr, t_.dst.data);
    winograd_->transform_forward(p_.weights, prepared_.data());
    winograd_->run(t_.src.data, prepared_.data(), p_.bias, nullptr, nullptr, t_.dst.data);
  }
  void backward() override {
    if (winograd_update_) {
      winograd_update_->run(t_.src.data, t_.ddst.data, p_.dweights);
    } else {
      weight_update_->run(t_.src.data, t_.ddst.data, p_.dweights, p_.dbias);
    }
    if (winograd_back_) {
      winograd_back_->transform_backward(p_.weights, prepared_.data());
      winograd_back_->run(t_.ddst.data, prepared_.data(), nullptr, t_.dsrc_before.data, t_.src.data, t_.dsrc.data);
    } else if (backward_data_) {
      backward_data_->pack_weights(forward_->weights_layout(), p_.weights, prepared_.data());
      backward_data_->run(t_.ddst.data, prepared_.data(), t_.dsrc_before.data, t_.src.data, t_.dsrc.data);
    }
  }

 private:
  // Empty if the direct loops are to do it.
  static Result<std::optional<ConvWinograd>> winograd(const ConvView& view, FeatureBlocks blocks,
                                                      const NetworkBrick& brick) {
    if (brick.algorithm != ConvAlgorithm::winograd || !winograd_pays(view, brick.machine))
      return std::optional<ConvWinograd>();
    auto conv = ConvWinograd::make(view, plan_winograd(view, brick.machine, WinogradWeights::of_run, blocks),
                                   brick.backend, brick.isa, brick.tuning);
    if (!conv) return {conv.status(), conv.reason()};
    return std::optional(*std::move(conv));
  }

  std::optional<ConvForward> forward_;
  std::optional<ConvBackwardData> backward_data_;
  std::optional<ConvWeightUpdate> weight_update_;
  std::optional<ConvWinograd> winograd_, winograd_back_;  // instead of forward_ and backward_data_
  std::optional<ConvWinogradUpdate> winograd_update_;
  AlignedBuffer<float> prepared_;  // the weights in the form that a pass needs, prepared anew for each
};

class NormPasses final : public LayerPasses {
 public:
  NormPasses(const BatchNormProblem& p, const MachineModel& machine)
      : problem_(p),
        norm_(p, plan_batch_norm(p, BatchNormPass::forward, machine.block_of(p.C), machine)),
        back_(p, plan_batch_norm(p, BatchNormPass::backward, machine.block_of(p.C), machine)),
        mean_(static_cast<std::size_t>(p.C)),
        variance_(mean_.size()),
        running_(p.C) {
    if (p.relu()) mask_ = AlignedBuffer<std::uint8_t>(static_cast<std::size_t>(norm_.mask_bytes()));
  }

  std::int64_t size_of(Role) const override { return problem_.C; }

  void forward() override {
    norm_.forward(t_.src, p_.weights, p_.bias, t_.residual, t_.dst, mean_.data(), variance_.data(), mask_.data());
    running_.add(mean_.data(), variance_.data(), problem_.values());
  }
  void infer() override {
    norm_.infer(t_.src, p_.weights, p_.bias, running_.mean(), running_.variance(), t_.residual, t_.dst);
  }
  void backward() override {
    back_.backward(t_.src, t_.ddst, mask_.data(), p_.weights, mean_.data(), variance_.data(), t_.dsrc, p_.dweights,
                   p_.dbias, t_.dresidual);
  }

 private:
  BatchNormProblem problem_;
  BatchNorm norm_, back_;
  AlignedBuffer<double> mean_, variance_;
  RunningStatistics running_;
  AlignedBuffer<std::uint8_t> mask_;
};

class PoolPasses final : public LayerPasses {
 public:
  PoolPasses(const PoolProblem& p, const MachineModel& machine)
      : pool_(p, plan_pool(p, machine.block_of(p.C), machine)), indices_(pool_.make_indices()) {}

  void forward() override { pool_.forward(t_.src, t_.dst, indices_.data()); }
  void backward() override { pool_.backward(t_.ddst, indices_.data(), t_.dsrc); }

 private:
  Pool pool_;
  AlignedBuffer<std::byte> indices_;
};

// Converts by way of the plain tensor, which is [N][C * H * W] for both.
class FlattenPasses final : public LayerPasses {
 public:
  explicit FlattenPasses(std::int64_t elements) : plain_(static_cast<std::size_t>(elements)) {}

  void forward() override {
    unpack_nchw(t_.src.layout, t_.src.data, plain_.data());
    pack_nhwc(t_.dst.layout, plain_.data(), t_.dst.data);
  }
  void backward() override {
    unpack_nhwc(t_.ddst.layout, t_.ddst.data, plain_.data());
    pack_nchw(t_.dsrc.layout, plain_.data(), t_.dsrc.data);
  }

 private:
  AlignedBuffer<float> plain_;
};

Activation activation_of(const NetworkGraph& graph, int layer) {
  if (layer == kImages) return Activation::none;
  const auto* fc = std::get_if<FcProblem>(&graph.layers[static_cast<std::size_t>(layer)].problem);
  return fc == nullptr ? Activation::none : fc->epilogue.activation;
}

// Whether a later layer, whose backward pass comes first, reads the same tensor.
bool is_read_later(const NetworkGraph& graph, std::size_t layer) {
  const int src = graph.layers[layer].src;
  return std::any_of(graph.layers.begin() + static_cast<std::ptrdiff_t>(layer) + 1, graph.layers.end(),
                     [&](const NetworkLayer& later) { return later.src == src || later.residual == src; });
}

}  // namespace

Result<LayerPassesPtr> make_layer_passes(const NetworkGraph& graph, std::size_t layer, const NetworkBrick& brick) {
  const int src = graph.layers[layer].src;
  const auto product = [&](const ConvProblem& conv) {
    return ProductPasses::make(conv, activation_of(graph, src), src != kImages,
                               src != kImages && is_read_later(graph, layer), brick);
  };
  struct Make {
    const NetworkBrick& brick;
    const decltype(product)& make_product;
    Result<LayerPassesPtr> operator()(const ConvProblem& p) const { return make_product(p); }
    Result<LayerPassesPtr> operator()(const FcProblem& p) const { return make_product(conv_of(p)); }
    Result<LayerPassesPtr> operator()(const BatchNormProblem& p) const {
      return LayerPassesPtr(std::make_unique<NormPasses>(p, brick.machine));
    }
    Result<LayerPassesPtr> operator()(const PoolProblem& p) const {
      return LayerPassesPtr(std::make_unique<PoolPasses>(p, brick.machine));
    }
  };
  return std::visit(Make{brick, product}, graph.layers[layer].problem);
}

LayerPassesPtr make_flatten(std::int64_t elements) { return std::make_unique<FlattenPasses>(elements); }

}  // namespace brickwork
