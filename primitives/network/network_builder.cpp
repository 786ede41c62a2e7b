// Decides where a network's tensors lie. Each layer's output has its own tensor, as the backward pass reads it again.
// Gradients of activations take turns in the same memory, as only the layer before reads each of them.
#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/base/floats.hpp"
#include "primitives/fc/fc_layers.hpp"
#include "primitives/nest/integers.hpp"
#include "primitives/network/network.hpp"

namespace brickwork {
namespace {

// Lends tensors, which are zeros at first. A tensor is lent again for the same layout only, so that the zeros beside
// its rows stay.
class Lender {
 public:
  BlockedOutput lend(const ActivationLayout& layout) {
    const auto found = std::ranges::find(idle_, layout, &BlockedOutput::layout);
    if (found == idle_.end()) {
      memory_.emplace_back(static_cast<std::size_t>(layout.size()));
      return {memory_.back().data(), layout};
    }
    const BlockedOutput tensor = *found;
    idle_.erase(found);
    return tensor;
  }
  void give_back(const BlockedOutput& tensor) { idle_.push_back(tensor); }
  std::vector<AlignedBuffer<float>> take() { return std::move(memory_); }

 private:
  std::vector<BlockedOutput> idle_;
  std::vector<AlignedBuffer<float>> memory_;
};

BlockedInput input(const BlockedOutput& tensor) { return {tensor.data, tensor.layout}; }

}  // namespace

class NetworkBuilder {
 public:
  NetworkBuilder(const NetworkGraph& graph, const NetworkBrick& brick)
      : graph_(graph), brick_(brick), network_(graph) {}

  Result<Network> build() {
    add_tensor(layout_of(kImages));
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
      auto passes = make_layer_passes(graph_, i, brick_);
      if (!passes) return {passes.status(), passes.reason()};
      add_layer(i, *std::move(passes));
    }
    set_pads();
    place_tensors();
    place_gradients();
    place_parameters();
    network_.images_ = tensors_.front().layout;
    network_.images_are_rows_ = images_are_rows();
    network_.step_plan_ =
        plan_elementwise(5.0 * sizeof(float) * static_cast<double>(network_.gradients_.size()), brick_.machine);
    return std::move(network_);
  }

 private:
  // A pass' output, or the images.
  struct Tensor {
    ActivationLayout layout, dlayout;
    float* data = nullptr;
    std::optional<BlockedOutput> gradient;  // once the backward pass has reached it
  };
  // A layer's passes, or the flattening before a layer.
  struct Pass {
    std::size_t layer;
    std::size_t src, dst;  // tensors
    std::optional<std::size_t> residual;
  };

  bool is_fc(int layer) const {
    return layer != kImages &&
           std::holds_alternative<FcProblem>(graph_.layers[static_cast<std::size_t>(layer)].problem);
  }
  bool images_are_rows() const {
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
      if (graph_.layers[i].src == kImages && !is_fc(static_cast<int>(i))) return false;
    }
    return true;
  }

  ActivationLayout rows(const ImageSizes& s) const {
    const std::int64_t features = s.C * s.H * s.W;
    return {1, features, 1, s.N, 0, brick_.machine.block_of(features)};
  }
  ActivationLayout layout_of(int layer) const {
    const ImageSizes s = graph_.dst_of(layer);
    if (layer == kImages ? images_are_rows() : is_fc(layer)) return rows(s);
    return {s.N, s.C, s.H, s.W, 0, brick_.machine.block_of(s.C)};
  }

  std::size_t add_tensor(const ActivationLayout& layout) {
    tensors_.push_back({.layout = layout, .dlayout = layout});
    return tensors_.size() - 1;
  }
  std::size_t tensor_of(int layer) const {
    return layer == kImages ? 0 : passes_[network_.pass_of_[static_cast<std::size_t>(layer)]].dst;
  }

  void add_layer(std::size_t i, LayerPassesPtr passes) {
    const NetworkLayer& layer = graph_.layers[i];
    std::size_t src = tensor_of(layer.src);
    if (is_fc(static_cast<int>(i)) && !(tensors_[src].layout == rows(graph_.dst_of(layer.src)))) {
      const std::size_t flat = add_tensor(rows(graph_.dst_of(layer.src)));
      passes_.push_back({i, src, flat, {}});
      network_.passes_.push_back(make_flatten(graph_.dst_of(layer.src).size()));
      src = flat;
    }
    const auto* norm = std::get_if<BatchNormProblem>(&layer.problem);
    const bool adds = norm != nullptr && norm->residual();
    passes_.push_back({i, src, add_tensor(layout_of(static_cast<int>(i))),
                       adds ? std::optional(tensor_of(layer.residual)) : std::nullopt});
    network_.pass_of_.push_back(passes_.size() - 1);
    network_.passes_.push_back(std::move(passes));
  }

  [[noreturn]] void refuse(const Pass& pass, const char* what) const {
    throw std::invalid_argument(fmt::format("layer {}: {}", graph_.name_of(pass.layer), what));
  }

  // A convolution needs a certain number of zeros beside the rows that it reads; other layers take any number.
  void set_pads() {
    std::vector<std::int64_t> wanted(tensors_.size(), -1);
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const Pass& pass = passes_[i];
      const std::int64_t pad = network_.passes_[i]->src_pad();
      if (pad < 0) continue;
      if (wanted[pass.src] >= 0 && wanted[pass.src] != pad) {
        refuse(pass,
               "two convolutions of different padding cannot read the same layer: put a batch normalisation between");
      }
      wanted[pass.src] = tensors_[pass.src].layout.pad_w = pad;
    }
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const Pass& pass = passes_[i];
      const std::int64_t pad = network_.passes_[i]->ddst_pad();
      tensors_[pass.dst].dlayout.pad_w = pad < 0 ? 0 : pad;
      if (pad >= 0 && wanted[pass.dst] > 0) {
        refuse(pass, "a convolution with padding cannot read a convolution: put a batch normalisation between");
      }
      if (network_.passes_[i]->src_pad() >= 0 && pass.src != 0 && tensors_[pass.src].dlayout.pad_w > 0) {
        refuse(pass, "a convolution cannot follow one with a larger kernel: put a batch normalisation between");
      }
    }
  }

  void place_tensors() {
    for (Tensor& tensor : tensors_) {
      network_.tensors_.emplace_back(static_cast<std::size_t>(tensor.layout.size()));
      tensor.data = network_.tensors_.back().data();
    }
    network_.logits_ = {tensors_.back().data, tensors_.back().layout};
  }

  void place_gradients() {
    Lender lender;
    tensors_.back().gradient = network_.dlogits_ = lender.lend(tensors_.back().dlayout);
    for (std::size_t i = passes_.size(); i-- > 0;) {
      const Pass& pass = passes_[i];
      Tensor &src = tensors_[pass.src], &dst = tensors_[pass.dst];
      if (!dst.gradient) refuse(pass, "no layer reads it");
      LayerTensors t{.src = {src.data, src.layout}, .dst = {dst.data, dst.layout}, .ddst = input(*dst.gradient)};
      bool passed_on = false;
      if (pass.residual) {
        Tensor& residual = tensors_[*pass.residual];
        if (residual.gradient) refuse(pass, "no later layer may read the layer that it adds");
        t.residual = {residual.data, residual.layout};
        passed_on = residual.dlayout == dst.dlayout;  // the gradient stays where it is
        residual.gradient = t.dresidual = passed_on ? *dst.gradient : lender.lend(residual.dlayout);
      }
      if (pass.src != 0) {
        t.dsrc = lender.lend(src.dlayout);
        if (src.gradient) {
          if (network_.passes_[i]->src_pad() < 0) refuse(pass, "no later layer may read the layer that it reads");
          t.dsrc_before = input(*src.gradient);
          lender.give_back(*src.gradient);
        }
        src.gradient = t.dsrc;
      }
      if (!passed_on) lender.give_back(*dst.gradient);
      network_.passes_[i]->bind(t);
    }
    network_.gradients_of_tensors_ = lender.take();
  }

  void place_parameters() {
    std::int64_t size = 0;
    for (const NetworkParameter& p : network_.parameters_) {
      network_.first_.push_back(size);
      size += whole_blocks(network_.passes_[network_.pass_of_[p.layer]]->size_of(p.role), kFloatsOfLine);
    }
    network_.state_ = NetworkState(static_cast<std::size_t>(size));
    network_.gradients_ = AlignedBuffer<float>(static_cast<std::size_t>(size));
    std::vector<LayerParameters> of_layer(graph_.layers.size());
    for (std::size_t i = 0; i < network_.parameters_.size(); ++i) {
      using Role = NetworkParameter::Role;
      const auto& [info, layer, role] = network_.parameters_[i];
      LayerParameters& p = of_layer[layer];
      const bool first = role == Role::weights || role == Role::gamma;
      (first ? p.weights : p.bias) = network_.state_.weights.data() + network_.first_[i];
      (first ? p.dweights : p.dbias) = network_.gradients_.data() + network_.first_[i];
    }
    for (std::size_t i = 0; i < of_layer.size(); ++i) network_.passes_[network_.pass_of_[i]]->bind(of_layer[i]);
  }

  const NetworkGraph& graph_;
  const NetworkBrick& brick_;
  Network network_;
  std::vector<Tensor> tensors_;
  std::vector<Pass> passes_;
};

Result<Network> Network::make(const NetworkGraph& graph, const NetworkBrick& brick) {
  graph.validate();
  return NetworkBuilder(graph, brick).build();
}

}  // namespace brickwork
