#include "primitives/network/op/network_graph.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

namespace brickwork {
namespace {

ImageSizes src_sizes(const ConvProblem& p) { return {p.N, p.C, p.H, p.W}; }
ImageSizes src_sizes(const BatchNormProblem& p) { return {p.N, p.C, p.H, p.W}; }
ImageSizes src_sizes(const PoolProblem& p) { return {p.N, p.C, p.H, p.W}; }
ImageSizes src_sizes(const FcProblem& p) { return {p.N, p.C}; }

ImageSizes dst_sizes(const ConvProblem& p) { return {p.N, p.K, p.P(), p.Q()}; }
ImageSizes dst_sizes(const BatchNormProblem& p) { return {p.N, p.C, p.H, p.W}; }
ImageSizes dst_sizes(const PoolProblem& p) { return {p.N, p.C, p.P(), p.Q()}; }
ImageSizes dst_sizes(const FcProblem& p) { return {p.N, p.K}; }

bool is_fc(const NetworkLayer& layer) { return std::holds_alternative<FcProblem>(layer.problem); }

std::string text_of(const ImageSizes& s) { return fmt::format("N{} C{} H{} W{}", s.N, s.C, s.H, s.W); }

// Why a layer cannot have this epilogue; `follower` reads the layer, and may be null.
std::string wrong_epilogue(const NetworkLayer& layer, const NetworkLayer* follower) {
  const auto* conv = std::get_if<ConvProblem>(&layer.problem);
  const auto* fc = std::get_if<FcProblem>(&layer.problem);
  if (conv == nullptr && fc == nullptr) return {};
  const Epilogue& e = conv != nullptr ? conv->epilogue : fc->epilogue;
  if (e.residual || e.derivative) return "its epilogue may only have a bias and an activation";
  if (e.activation == Activation::none) return {};
  if (conv != nullptr) return "a convolution cannot have an activation: put a batch normalisation with one after it";
  if (e.activation == Activation::gelu) return "gelu cannot be used: its derivative needs its input, which is not kept";
  const bool taken = follower != nullptr && is_fc(*follower);
  return taken ? "" : "with an activation it must be read by a fully connected layer";
}

using Role = NetworkParameter::Role;

struct LayerTensor {
  Role role;
  const char* name;
  std::vector<std::int64_t> dims;  // empty: the layer does not have it
};
std::vector<LayerTensor> tensors_of(const ConvProblem& p) {
  return {{Role::weights, "weights", {p.K, p.C, p.R, p.S}}, {Role::bias, "bias", dims_if(p.epilogue.bias, {p.K})}};
}
std::vector<LayerTensor> tensors_of(const FcProblem& p) {
  return {{Role::weights, "weights", {p.K, p.C}}, {Role::bias, "bias", dims_if(p.epilogue.bias, {p.K})}};
}
std::vector<LayerTensor> tensors_of(const BatchNormProblem& p) {
  return {{Role::gamma, "gamma", {p.C}}, {Role::beta, "beta", {p.C}}};
}
std::vector<LayerTensor> tensors_of(const PoolProblem&) { return {}; }

double flops_of(const ConvProblem& p, bool least) { return least ? p.least_flops() : p.flops(); }
double flops_of(const FcProblem& p, bool) { return p.flops(); }
double flops_of(const BatchNormProblem&, bool) { return 0; }
double flops_of(const PoolProblem&, bool) { return 0; }

double layer_flops(const NetworkLayer& layer, bool least) {
  return std::visit([&](const auto& p) { return flops_of(p, least); }, layer.problem);
}

}  // namespace

const std::string& NetworkGraph::name_of(std::size_t layer) const {
  return std::visit([](const auto& p) -> const std::string& { return p.name; }, layers[layer].problem);
}

ImageSizes NetworkGraph::src_of(std::size_t layer) const {
  return std::visit([](const auto& p) { return src_sizes(p); }, layers[layer].problem);
}

ImageSizes NetworkGraph::dst_of(int layer) const {
  if (layer == kImages) return images;
  return std::visit([](const auto& p) { return dst_sizes(p); }, layers[static_cast<std::size_t>(layer)].problem);
}

double NetworkGraph::values() const {
  double values = 0;
  for (int layer = 0; layer < static_cast<int>(layers.size()); ++layer) {
    values += static_cast<double>(dst_of(layer).size());
  }
  for (const NetworkParameter& p : parameters_of(*this)) values += static_cast<double>(p.info.size());
  return values;
}

void NetworkGraph::validate() const {
  if (layers.empty() || !is_fc(layers.back())) {
    throw std::invalid_argument("a network's last layer must be a fully connected one: it gives the logits");
  }
  std::set<std::string> names;
  std::vector<const NetworkLayer*> reader(layers.size(), nullptr);  // the last layer that reads it
  for (const NetworkLayer& layer : layers) {
    if (layer.src >= 0) reader[static_cast<std::size_t>(layer.src)] = &layer;
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const NetworkLayer& layer = layers[i];
    const auto refuse = [&](const std::string& what) {
      throw std::invalid_argument(fmt::format("layer {} ({}): {}", i, name_of(i), what));
    };
    if (name_of(i).empty() || !names.insert(name_of(i)).second) refuse("its name must not be empty or another layer's");
    std::visit([](const auto& p) { p.validate(); }, layer.problem);
    const auto* norm = std::get_if<BatchNormProblem>(&layer.problem);
    const bool adds = norm != nullptr && norm->residual();
    if (layer.src < kImages || layer.src >= static_cast<int>(i) || (adds && layer.residual < 0) ||
        layer.residual >= static_cast<int>(i)) {
      refuse("it must read an earlier layer");
    }
    const auto gives_rows = [&](int read) { return read >= 0 && is_fc(layers[static_cast<std::size_t>(read)]); };
    if (!is_fc(layer) && (gives_rows(layer.src) || gives_rows(layer.residual))) {
      refuse("only a fully connected layer may read another one");
    }
    const ImageSizes from = dst_of(layer.src), wanted = src_of(i);
    const ImageSizes flat{from.N, from.C * from.H * from.W};
    if (!(wanted == from) && !(is_fc(layer) && wanted == flat)) {
      refuse(fmt::format("it takes {}, but reads {}", text_of(wanted), text_of(from)));
    }
    if (adds && !(dst_of(layer.residual) == wanted)) {
      refuse(fmt::format("it adds {} to {}: both must have the same sizes", text_of(dst_of(layer.residual)),
                         text_of(wanted)));
    }
    if (const auto what = wrong_epilogue(layer, reader[i]); !what.empty()) refuse(what);
  }
}

int NetworkGraph::add_conv(std::string name, int src, std::int64_t K, std::int64_t kernel, std::int64_t stride,
                           bool bias) {
  const ImageSizes s = dst_of(src);
  ConvProblem p{.name = std::move(name), .N = s.N, .C = s.C, .K = K, .H = s.H, .W = s.W, .epilogue = {.bias = bias}};
  p.R = p.S = kernel;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = kernel / 2;
  return add({p, src});
}

int NetworkGraph::add_norm(std::string name, int src, NormEpilogue epilogue, int residual) {
  const ImageSizes s = dst_of(src);
  return add({BatchNormProblem{.name = std::move(name), .N = s.N, .C = s.C, .H = s.H, .W = s.W, .epilogue = epilogue},
              src, residual});
}

int NetworkGraph::add_pool(std::string name, int src, PoolKind kind, std::int64_t window, std::int64_t stride,
                           std::int64_t pad) {
  const ImageSizes s = dst_of(src);
  PoolProblem p{.name = std::move(name), .N = s.N, .C = s.C, .H = s.H, .W = s.W, .kind = kind};
  p.R = p.S = window;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = pad;
  return add({p, src});
}

int NetworkGraph::add_fc(std::string name, int src, std::int64_t K, Activation activation) {
  const ImageSizes s = dst_of(src);
  const Epilogue epilogue{.bias = true, .activation = activation};
  return add({FcProblem{.name = std::move(name), .N = s.N, .C = s.C * s.H * s.W, .K = K, .epilogue = epilogue}, src});
}

int NetworkGraph::add(NetworkLayer layer) {
  layers.push_back(std::move(layer));
  return static_cast<int>(layers.size()) - 1;
}

std::vector<NetworkParameter> parameters_of(const NetworkGraph& graph) {
  std::vector<NetworkParameter> parameters;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    for (auto& [role, name, dims] : std::visit([](const auto& p) { return tensors_of(p); }, graph.layers[i].problem)) {
      if (dims.empty()) continue;
      parameters.push_back({{.name = graph.name_of(i) + "." + name, .dims = dims}, i, role});
    }
  }
  return parameters;
}

double forward_flops(const NetworkGraph& graph, bool least) {
  double flops = 0;
  for (const NetworkLayer& layer : graph.layers) flops += layer_flops(layer, least);
  return flops;
}

double backward_flops(const NetworkGraph& graph, bool least) {
  double flops = 0;
  for (const NetworkLayer& layer : graph.layers) flops += (layer.src == kImages ? 1 : 2) * layer_flops(layer, least);
  return flops;
}

}  // namespace brickwork
