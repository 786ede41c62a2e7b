#include "baselines/dynet/dynet_recursive.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "baselines/dynet/embedded_python.hpp"

namespace brickwork::dynet {
namespace {

using nlohmann::json;

std::string_view name_of(ExprKind kind) {
  switch (kind) {
    case ExprKind::zero:
      return "zero";
    case ExprKind::input:
      return "input";
    case ExprKind::bias:
      return "bias";
    case ExprKind::child:
      return "child";
    case ExprKind::each:
      return "each";
    case ExprKind::sum_of_children:
      return "sum_of_children";
    case ExprKind::times_weight:
      return "times_weight";
    case ExprKind::times_matrix:
      return "times_matrix";
    case ExprKind::add:
      return "add";
    case ExprKind::subtract:
      return "subtract";
    case ExprKind::multiply:
      return "multiply";
    case ExprKind::one_minus:
      return "one_minus";
    case ExprKind::sigmoid:
      return "sigmoid";
    case ExprKind::tanh:
      return "tanh";
    case ExprKind::relu:
      return "relu";
    default:
      throw std::logic_error("a cell has an expression that is for gradients only");
  }
}

// Names with their addresses and dims.
json addresses(const PlainTensors& tensors) {
  json all = json::object();
  for (const TensorInfo& info : tensors.infos()) {
    all[info.name] = {reinterpret_cast<std::uintptr_t>(tensors.at<float>(info.name)), info.dims};
  }
  return all;
}

json description_of(const Cell& cell) {
  json graph = json::array(), inputs = json::array(), states = json::array();
  for (int e = 0; e < cell.graph().size(); ++e) {
    const ExprNode& node = cell.graph()[e];
    graph.push_back({{"kind", name_of(node.kind)},
                     {"a", node.a},
                     {"b", node.b},
                     {"which", node.which},
                     {"position", node.position},
                     {"over", node.over == Over::edge ? "edge" : "node"},
                     {"matrix", node.matrix}});
  }
  for (const Cell::Input& input : cell.inputs())
    inputs.push_back({{"name", input.name}, {"of_leaves", input.of_leaves}});
  for (const Cell::StateOf& state : cell.states()) {
    states.push_back({{"name", state.name}, {"value", state.value}, {"leaf_value", state.leaf_value}});
  }
  return {{"graph", graph},   {"inner", cell.needed(false)}, {"leaf", cell.needed(true)},
          {"inputs", inputs}, {"weights", cell.weights()},   {"biases", cell.biases()},
          {"states", states}};
}

class PreparedRecursive final : public Prepared {
 public:
  PreparedRecursive(const RecursiveProblem& p, bool training, const PlainTensors& in) {
    json description = description_of(p.cell());
    const auto forest = p.forest();
    json children = json::array();
    for (std::int32_t node = 0; node < forest->nodes(); ++node) children.push_back(forest->children_of(node));
    description["children"] = std::move(children);
    description["features"] = p.H;
    description["training"] = training;
    description["tensors"] = addresses(in);
    model_ = dynet_recursive().call("Model", description.dump());
  }

  void pack() override { model_.call("pack"); }
  void run() override { model_.call("run"); }
  void unpack(PlainTensors& out) override { model_.call("unpack", addresses(out).dump()); }
  std::string implementation() const override { return "autobatch"; }

 private:
  PythonObject model_;
};

}  // namespace

template <Operation Op>
Contender<Op> recursive() {
  return {.name = "dynet",
          .library = {"DyNet", dynet_recursive().call("version").text()},
          .prepare = [](const RecursiveProblem& p, const PlainTensors& in, const Resources&) -> Result<PreparedPtr> {
            return {std::make_unique<PreparedRecursive>(p, std::is_same_v<Op, RecursiveTrainingOp>, in)};
          }};
}

template Contender<RecursiveInferenceOp> recursive();
template Contender<RecursiveTrainingOp> recursive();

}  // namespace brickwork::dynet
