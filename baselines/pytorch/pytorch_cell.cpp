#include "baselines/pytorch/pytorch_cell.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "baselines/pytorch/pytorch_tensors.hpp"
#include "primitives/recursive/op/recursive_tensors.hpp"

namespace brickwork::pytorch {
namespace {

using at::Tensor;
using Kind = ExprKind;

constexpr std::int64_t kFeatures = -1;  // the last dimension

Tensor beside(const std::vector<Tensor>& tensors, std::int64_t dimension = kFeatures) {
  return tensors.size() == 1 ? tensors.front() : at::cat(tensors, dimension);
}

std::size_t at_number(int number) { return static_cast<std::size_t>(number); }

}  // namespace

CellModule::CellModule(const Cell& cell, std::int64_t H, const PlainTensors& in, bool training)
    : cell_(cell), graph_(cell.graph()), H_(H), in_(in), training_(training), values_(at_number(graph_.size())) {
  for (std::size_t b = 0; b < cell.biases().size(); ++b) {
    biases_.push_back(parameter(Parameter::Kind::bias, {{static_cast<int>(b)}}));
  }
  inner_ = program(/*leaf=*/false);
  leaves_ = program(/*leaf=*/true);
}

bool CellModule::is_of_input(const ExprNode& e) const { return e.kind == Kind::input || is_outside_product(cell_, e); }

int CellModule::input_of(int e) const {
  return graph_[e].kind == Kind::input ? graph_[e].which : graph_[graph_[e].a].which;
}

CellModule::Program CellModule::program(bool leaf) {
  Program program{product_groups(cell_, leaf), cell_.needed(leaf), {}};
  Numbers together;  // expressions that are rows of a layer
  for (const ProductGroup& group : program.found.groups) {
    Layer& layer = program.layers.emplace_back();
    std::vector<Numbers> weights;
    Numbers others;
    for (const ProductGroup::Sum& sum : group.sums) {
      weights.push_back(sum.weights);
      if (group.has_bias()) layer.biases.push_back(sum.bias);
      if (sum.others.size() == 1 && is_of_input(graph_[sum.others.front()])) others.push_back(sum.others.front());
    }
    if (!group.operands.empty()) layer.weights = static_cast<int>(parameter(Parameter::Kind::weights, weights));
    if (others.size() != group.sums.size() || group.matrix) continue;
    layer.rows = rows_of(others);
    together.insert(together.end(), others.begin(), others.end());
  }
  for (const int e : program.needed) {
    const auto uses = std::ranges::count_if(program.found.users[at_number(e)], [&](int user) {
      return user == ProductGroups::kState || !is_outside_product(cell_, graph_[user]);
    });
    if (is_of_input(graph_[e]) && uses > std::ranges::count(together, e)) rows_of({e});
  }
  return program;
}

std::size_t CellModule::parameter(Parameter::Kind kind, std::vector<Numbers> which) {
  const auto found =
      std::ranges::find_if(parameters_, [&](const Parameter& p) { return p.kind == kind && p.which == which; });
  const auto number = static_cast<std::size_t>(found - parameters_.begin());
  if (found == parameters_.end()) parameters_.push_back({kind, std::move(which)});
  return number;
}

int CellModule::rows_of(const Numbers& expressions) {
  const auto found = std::ranges::find(rows_, expressions, &Rows::expressions);
  const auto number = static_cast<int>(found - rows_.begin());
  if (found != rows_.end()) return number;
  Rows rows{expressions, 0};
  Numbers inputs;
  std::vector<Numbers> weights;
  for (const int e : expressions) {
    inputs.push_back(input_of(e));
    if (graph_[e].kind == Kind::times_weight) weights.push_back({graph_[e].which});
  }
  if (!weights.empty()) {
    const bool of_one =
        weights.size() == inputs.size() && std::ranges::count(inputs, inputs.front()) == std::ssize(inputs);
    if (!of_one) throw std::logic_error("a cell adds products of several inputs");
    inputs.resize(1);
    rows.weights = static_cast<int>(parameter(Parameter::Kind::weights, weights));
  }
  rows.inputs = parameter(Parameter::Kind::inputs, {inputs});
  rows_.push_back(std::move(rows));
  return number;
}

bool CellModule::is_of_leaves(const Rows& rows) const {
  return cell_.inputs()[at_number(input_of(rows.expressions.front()))].of_leaves;
}

Tensor CellModule::block(Parameter::Kind kind, const PlainTensors& tensors, int which, bool gradient) const {
  const auto number = at_number(which);
  const auto name_of = [&](const std::string& name) {
    return gradient ? recursive_ops::gradient_of_parameter(name) : name;
  };
  switch (kind) {
    case Parameter::Kind::inputs: {
      const std::string& name = cell_.inputs()[number].name;
      return view(tensors, gradient ? recursive_ops::gradient_of_values(name) : name);
    }
    case Parameter::Kind::weights:
      return view(tensors, name_of(cell_.weights()[number])).t();
    case Parameter::Kind::bias:
      return view(tensors, name_of(cell_.biases()[number]));
  }
  return {};
}

void CellModule::pack() {
  for (Parameter& p : parameters_) {
    std::vector<Tensor> all;
    for (const Numbers& row : p.which) {
      std::vector<Tensor> blocks;
      for (const int which : row) blocks.push_back(block(p.kind, in_, which, /*gradient=*/false));
      all.push_back(beside(blocks));
    }
    p.values = beside(all, 0).clone(at::MemoryFormat::Contiguous).requires_grad_(training_);
  }
}

void CellModule::begin(const Batches& batches) {
  for (Rows& rows : rows_) {
    Tensor ordered = batches.ordered(parameters_[rows.inputs].values, is_of_leaves(rows));
    if (rows.weights >= 0) ordered = at::linear(ordered, values_of(rows.weights));
    rows.parts = batches.parts(ordered, is_of_leaves(rows));
  }
  for (Program* const program : {&inner_, &leaves_}) {
    for (Layer& layer : program->layers) {
      std::vector<Tensor> biases;
      for (const int b : layer.biases) {
        biases.push_back(b < 0 ? at::zeros({H_}, parameters_[biases_[0]].values.options().requires_grad(false))
                               : parameters_[biases_[at_number(b)]].values);
      }
      if (!biases.empty()) layer.bias = beside(biases);
    }
  }
}

std::vector<Tensor> CellModule::states_of(const NodeBatch& batch) {
  Program& program = batch.leaves() ? leaves_ : inner_;
  for (Layer& layer : program.layers) layer.sums.clear();
  for (const int e : program.needed) {
    if (!program.found.of[at_number(e)].inside) values_[at_number(e)] = evaluate(e, program, batch);
  }
  std::vector<Tensor> states;
  for (const Cell::StateOf& state : cell_.states()) states.push_back(value(value_of(state, batch.leaves())));
  return states;
}

const Tensor& CellModule::rows(int number, const NodeBatch& batch) const {
  const Rows& rows = rows_[at_number(number)];
  return rows.parts[batch.number(is_of_leaves(rows))];
}

Tensor CellModule::evaluate(int e, Program& program, const NodeBatch& batch) {
  if (program.found.of[at_number(e)].group >= 0) return evaluate_sum(e, program, batch);
  const ExprNode& node = graph_[e];
  if (is_of_input(node)) {
    const auto alone = std::ranges::find(rows_, Numbers{e}, &Rows::expressions);
    return alone == rows_.end() ? Tensor() : rows(static_cast<int>(alone - rows_.begin()), batch);
  }
  switch (node.kind) {
    case Kind::zero:
      return at::zeros(node.matrix ? std::vector{std::int64_t{1}, H_, H_} : std::vector{std::int64_t{1}, H_},
                       view(in_, in_.infos().front().name).options());
    case Kind::bias:
      return parameters_[biases_[at_number(node.which)]].values;
    case Kind::child:
      return batch.child(node.which, node.position);
    case Kind::each:
      return batch.each_child(node.which);
    default:
      return evaluate_elements(node, batch);
  }
}

Tensor CellModule::evaluate_sum(int e, Program& program, const NodeBatch& batch) {
  const auto [number, column, inside] = program.found.of[at_number(e)];
  const ProductGroup& group = program.found.groups[at_number(number)];
  Layer& layer = program.layers[at_number(number)];
  if (layer.sums.empty()) layer.sums = sums(group, layer, batch);
  Tensor sum = layer.sums[at_number(column)];
  if (layer.rows >= 0) return sum;
  for (const int other : group.sums[at_number(column)].others) sum = sum + value(other);
  return sum;
}

std::vector<Tensor> CellModule::sums(const ProductGroup& group, const Layer& layer, const NodeBatch& batch) const {
  Tensor all;
  if (layer.weights >= 0) {
    std::vector<Tensor> operands;
    for (const int operand : group.operands) operands.push_back(value(operand));
    all = at::linear(beside(operands), values_of(layer.weights), layer.bias);
  } else {
    all = layer.bias;
  }
  if (layer.rows >= 0) {
    const Tensor& of_nodes = rows(layer.rows, batch);
    all = (group.over == Over::edge ? batch.for_edges(of_nodes) : of_nodes) + all;
  }
  if (group.sums.size() == 1) return {all};
  return all.chunk(std::ssize(group.sums), kFeatures);
}

Tensor CellModule::evaluate_elements(const ExprNode& node, const NodeBatch& batch) const {
  const auto argument = [&](int e) {
    return node.over == Over::edge && graph_[e].over == Over::node ? batch.for_edges(value(e)) : value(e);
  };
  switch (node.kind) {
    case Kind::sum_of_children:
      return batch.sum_of_children(value(node.a));
    case Kind::times_matrix:
      return at::bmm(argument(node.a).unsqueeze(1), argument(node.b)).squeeze(1);
    case Kind::add:
      return argument(node.a) + argument(node.b);
    case Kind::subtract:
      return argument(node.a) - argument(node.b);
    case Kind::multiply:
      return argument(node.a) * argument(node.b);
    case Kind::one_minus:
      return 1 - argument(node.a);
    case Kind::sigmoid:
      return at::sigmoid(argument(node.a));
    case Kind::tanh:
      return at::tanh(argument(node.a));
    case Kind::relu:
      return at::relu(argument(node.a));
    default:
      throw std::logic_error("a cell has an expression that is for gradients only");
  }
}

void CellModule::unpack(const std::vector<Tensor>& gradients, PlainTensors& out) const {
  for (const TensorInfo& info : out.infos()) view(out, info.name).zero_();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!gradients[i].defined()) continue;  // nothing uses it
    const Parameter& p = parameters_[i];
    const auto rows = gradients[i].chunk(std::ssize(p.which), 0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto blocks = rows[r].chunk(std::ssize(p.which[r]), kFeatures);
      for (std::size_t c = 0; c < blocks.size(); ++c) {
        block(p.kind, out, p.which[r][c], /*gradient=*/true).add_(blocks[c]);
      }
    }
  }
}

std::vector<Tensor> CellModule::parameters() const {
  std::vector<Tensor> all;
  for (const Parameter& p : parameters_) all.push_back(p.values);
  return all;
}

}  // namespace brickwork::pytorch
