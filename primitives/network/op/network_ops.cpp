#include "primitives/network/op/network_ops.hpp"

#include <algorithm>
#include <cmath>

#include "primitives/network/op/network_definition.hpp"
#include "primitives/op/defined.hpp"

namespace brickwork::network_ops {
namespace {

TensorInfo named(TensorInfo info, const char* what) {
  info.name += what;
  return info;
}

}  // namespace

std::vector<TensorInfo> inputs(const NetworkGraph& graph) {
  const ImageSizes& i = graph.images;
  std::vector<TensorInfo> infos{{.name = "images", .dims = {i.N, i.C, i.H, i.W}, .per_image = true},
                                {.name = "labels", .dims = {i.N}, .per_image = true, .dtype = DType::i32}};
  for (const NetworkParameter& p : parameters_of(graph)) infos.push_back(p.info);
  return infos;
}

std::vector<TensorInfo> outputs(const NetworkGraph& graph, NetworkPart part) {
  std::vector<TensorInfo> infos;
  if (part != NetworkPart::backward) infos.push_back({.name = "loss", .dims = {1}});
  if (part == NetworkPart::forward) {
    infos.push_back({.name = "logits", .dims = {graph.images.N, graph.classes()}, .per_image = true});
    return infos;
  }
  for (const NetworkParameter& p : parameters_of(graph)) {
    if (part == NetworkPart::backward) {
      infos.push_back(named(p.info, ".gradient"));
    } else {
      infos.push_back(named(p.info, ".velocity"));
      infos.push_back(named(p.info, ".stepped"));
    }
  }
  return infos;
}

double flops(const NetworkGraph& graph, NetworkPart part, bool least) {
  return (part == NetworkPart::backward ? 0 : forward_flops(graph, least)) +
         (part == NetworkPart::forward ? 0 : backward_flops(graph, least));
}

void settle(const NetworkGraph& graph, PlainTensors& in) {
  const double classes = static_cast<double>(graph.classes());
  for (double& label : in.values<double>(1)) label = std::floor((label + 1) / 2 * classes);
  const auto parameters = parameters_of(graph);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [info, layer, role] = parameters[i];
    const auto fan_in = info.size() / info.dims.front();
    const double scale = role == NetworkParameter::Role::weights ? std::sqrt(6 / static_cast<double>(fan_in)) : 0.25;
    const double about = role == NetworkParameter::Role::gamma ? 1 : 0;
    for (double& x : in.values<double>(2 + i)) x = about + scale * x;
  }
}

void reference(const NetworkGraph& graph, NetworkPart part, const PlainTensors& in, PlainTensors& out) {
  const NetworkValues values = define_network(graph, in, part != NetworkPart::forward);
  if (part != NetworkPart::backward) *out.at<double>("loss") = values.loss;
  if (part == NetworkPart::forward) std::ranges::copy(values.outputs.back(), out.at<double>("logits"));
  const auto parameters = parameters_of(graph);
  for (std::size_t i = 0; i < values.gradients.size(); ++i) {
    const std::string& name = parameters[i].info.name;
    if (part == NetworkPart::backward) {
      std::ranges::copy(values.gradients[i], out.at<double>(name + ".gradient"));
      continue;
    }
    Defined<SgdOp> step({.P = parameters[i].info.size()});
    step.with("weights", in.at<double>(name)).with("gradient", values.gradients[i]).run();
    std::ranges::copy(step["new_velocity"], out.at<double>(name + ".velocity"));
    std::ranges::copy(step["new_weights"], out.at<double>(name + ".stepped"));
  }
}

}  // namespace brickwork::network_ops
