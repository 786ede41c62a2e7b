#include "network_graph.hpp"

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

// Why a layer cannot have this epilogue; `follower` is what reads it, or null.
std::string wrong_epilogue(const NetworkLayer& layer, const NetworkLayer* follower) {
  const auto* conv = std::get_if<ConvProblem>(&layer.problem);
  const auto* fc = std::get_if<FcProblem>(&layer.problem);
  if (conv == nullptr && fc == nullptr) return {};
  const Epilogue& e = conv != nullptr ? conv->epilogue : fc->epilogue;
  if (e.residual || e.derivative) return "its epilogue may be a bias and an activation";
  if (e.activation == Activation::none) return {};
  if (conv != nullptr) return "an activation behind a convolution is that of a batch normalisation";
  if (e.activation == Activation::gelu) return "gelu's derivative is taken at what went into it, which nobody keeps";
  const bool taken = follower != nullptr && is_fc(*follower);
  return taken ? "" : "its activation must be read by a fully connected layer";
}

void add_parameters(const ConvProblem& p, std::size_t layer, std::vector<NetworkParameter>& to) {
  using Role = NetworkParameter::Role;
  to.push_back({{.name = p.name + ".weights", .dims = {p.K, p.C, p.R, p.S}}, layer, Role::weights});
  if (p.epilogue.bias) to.push_back({{.name = p.name + ".bias", .dims = {p.K}}, layer, Role::bias});
}
void add_parameters(const BatchNormProblem& p, std::size_t layer, std::vector<NetworkParameter>& to) {
  using Role = NetworkParameter::Role;
  to.push_back({{.name = p.name + ".gamma", .dims = {p.C}}, layer, Role::gamma});
  to.push_back({{.name = p.name + ".beta", .dims = {p.C}}, layer, Role::beta});
}
void add_parameters(const PoolProblem&, std::size_t, std::vector<NetworkParameter>&) {}
void add_parameters(const FcProblem& p, std::size_t layer, std::vector<NetworkParameter>& to) {
  using Role = NetworkParameter::Role;
  to.push_back({{.name = p.name + ".weights", .dims = {p.K, p.C}}, layer, Role::weights});
  if (p.epilogue.bias) to.push_back({{.name = p.name + ".bias", .dims = {p.K}}, layer, Role::bias});
}

double layer_flops(const ConvProblem& p, bool least) { return least ? p.least_flops() : p.flops(); }
double layer_flops(const FcProblem& p, bool) { return p.flops(); }
double layer_flops(const BatchNormProblem&, bool) { return 0; }
double layer_flops(const PoolProblem&, bool) { return 0; }

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
  std::vector<const NetworkLayer*> reader(layers.size(), nullptr);  // the last one
  for (const NetworkLayer& layer : layers) {
    if (layer.src >= 0) reader[static_cast<std::size_t>(layer.src)] = &layer;
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const NetworkLayer& layer = layers[i];
    const auto refuse = [&](const std::string& what) {
      throw std::invalid_argument(fmt::format("layer {} ({}): {}", i, name_of(i), what));
    };
    if (name_of(i).empty() || !names.insert(name_of(i)).second) refuse("its name must be there, and no other layer's");
    std::visit([](const auto& p) { p.validate(); }, layer.problem);
    const auto* norm = std::get_if<BatchNormProblem>(&layer.problem);
    const bool adds = norm != nullptr && norm->residual();
    if (layer.src < kImages || layer.src >= static_cast<int>(i) || (adds && layer.residual < 0) ||
        layer.residual >= static_cast<int>(i)) {
      refuse("what it reads must be an earlier layer");
    }
    const auto gives_rows = [&](int read) { return read >= 0 && is_fc(layers[static_cast<std::size_t>(read)]); };
    if (!is_fc(layer) && (gives_rows(layer.src) || gives_rows(layer.residual))) {
      refuse("only a fully connected layer may read one");
    }
    const ImageSizes from = dst_of(layer.src), wanted = src_of(i);
    const ImageSizes flat{from.N, from.C * from.H * from.W};
    if (!(wanted == from) && !(is_fc(layer) && wanted == flat)) {
      refuse(fmt::format("it takes {}, but what it reads is {}", text_of(wanted), text_of(from)));
    }
    if (adds && !(dst_of(layer.residual) == wanted)) {
      refuse(fmt::format("it adds {} to {}", text_of(dst_of(layer.residual)), text_of(wanted)));
    }
    if (const auto what = wrong_epilogue(layer, reader[i]); !what.empty()) refuse(what);
  }
}

std::vector<NetworkParameter> parameters_of(const NetworkGraph& graph) {
  std::vector<NetworkParameter> parameters;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    std::visit([&](const auto& p) { add_parameters(p, i, parameters); }, graph.layers[i].problem);
  }
  return parameters;
}

double forward_flops(const NetworkGraph& graph, bool least) {
  double flops = 0;
  for (const NetworkLayer& layer : graph.layers) {
    flops += std::visit([&](const auto& p) { return layer_flops(p, least); }, layer.problem);
  }
  return flops;
}

double backward_flops(const NetworkGraph& graph, bool least) {
  double flops = 2 * forward_flops(graph, least);
  for (const NetworkLayer& layer : graph.layers) {
    if (layer.src != kImages) continue;
    flops -= std::visit([&](const auto& p) { return layer_flops(p, least); }, layer.problem);
  }
  return flops;
}

}  // namespace brickwork
