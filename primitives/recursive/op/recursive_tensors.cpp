#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork::recursive_ops {
namespace {

using Infos = std::vector<TensorInfo>;

std::int64_t leaves_of(const Forest& forest) {
  std::int64_t leaves = 0;
  for (std::int32_t node = 0; node < forest.nodes(); ++node) leaves += forest.children_of(node).empty() ? 1 : 0;
  return leaves;
}

TensorInfo values_of(const std::string& name, std::int64_t count, std::int64_t H, bool matrix) {
  return {.name = name, .dims = matrix ? std::vector<std::int64_t>{count, H, H} : std::vector<std::int64_t>{count, H}};
}

}  // namespace

Infos sources(const Cell& cell, std::int64_t H, const Forest& forest) {
  Infos infos;
  const std::int64_t leaves = leaves_of(forest);
  for (const Cell::Input& input : cell.inputs()) {
    infos.push_back(values_of(input.name, input.of_leaves ? leaves : forest.nodes(), H, input.matrix));
  }
  for (const std::string& weight : cell.weights()) infos.push_back({.name = weight, .dims = {H, H}});
  for (const std::string& bias : cell.biases()) infos.push_back({.name = bias, .dims = {H}});
  return infos;
}

Infos results(const Cell& cell, std::int64_t H, const Forest& forest) {
  Infos infos;
  for (const Cell::StateOf& state : cell.states()) {
    infos.push_back(values_of(state.name, forest.nodes(), H, state.matrix));
  }
  return infos;
}

Infos upstream(const Cell& cell, std::int64_t H, const Forest& forest) {
  Infos infos = results(cell, H, forest);
  for (TensorInfo& info : infos) info.name = gradient_of_values(info.name);
  return infos;
}

Infos gradients(const Cell& cell, std::int64_t H, const Forest& forest) {
  Infos infos = sources(cell, H, forest);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    std::string& name = infos[i].name;
    name = i < cell.inputs().size() ? gradient_of_values(name) : gradient_of_parameter(name);
  }
  return infos;
}

}  // namespace brickwork::recursive_ops
