#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "primitives/recursive/lowering/gradients.hpp"
#include "primitives/recursive/lowering/stages.hpp"

namespace brickwork {
namespace {

using Kind = ExprKind;

enum class Graph { cell, inner_gradients, leaf_gradients };  // whose expressions they are

RowsOf both(RowsOf a, RowsOf b) { return a == b ? a : RowsOf::all; }

// The arrays of a program, each made when it is first asked for.
class Arrays {
 public:
  std::vector<ArrayInfo> all;

  int of(const ArrayInfo& info) {
    const auto [at, added] = numbers_.emplace(std::tuple(info.kind, info.which), size());
    if (added) all.push_back(info);
    return at->second;
  }
  // An expression's values.
  int value(Graph graph, int e, const ExprNode& node, RowsOf rows) {
    const auto [at, added] = values_.emplace(std::pair(graph, e), size());
    if (added) {
      all.push_back(
          {.kind = ArrayKind::value, .over = std::max(node.over, Over::node), .matrix = node.matrix, .rows = rows});
    } else {
      widen(at->second, rows);
    }
    return at->second;
  }
  int known_value(Graph graph, int e) const {
    const auto at = values_.find(std::pair(graph, e));
    return at == values_.end() ? -1 : at->second;
  }
  int add(const ArrayInfo& info) {
    all.push_back(info);
    return size() - 1;
  }
  void widen(int array, RowsOf rows) {
    RowsOf& has = all[static_cast<std::size_t>(array)].rows;
    has = both(has, rows);
  }

 private:
  int size() const { return static_cast<int>(all.size()); }

  std::map<std::tuple<ArrayKind, int>, int> numbers_;
  std::map<std::pair<Graph, int>, int> values_;
};

Ref row_of(int array, Over over, RowMode mode = RowMode::own, int position = -1) {
  return {.place = Place::array, .index = array, .mode = mode, .position = position, .over = over};
}

class CellLowering {
 public:
  CellLowering(const Cell& cell, const LoweringPasses& passes, bool training)
      : cell_(cell), passes_(passes), training_(training) {
    for (const Cell::StateOf& state : cell.states()) {
      inner_.push_back(state.value);
      leaves_.push_back(passes.leaves || state.own_leaf ? state.leaf_value : state.value);
    }
  }

  Lowered run() {
    Lowered lowered;
    if (training_) {
      of_inner_ = differentiate(cell_, inner_);
      of_leaves_ = differentiate(cell_, leaves_);
    }
    forward(lowered.forward);
    if (training_) backward(lowered.backward);
    lowered.forward.arrays = arrays_.all;  // the forward program may write all that the backward program reads
    return lowered;
  }

 private:
  // Forward

  void forward(Program& program) {
    if (passes_.hoist) hoist(program);
    program.inner = forward_stages(inner_, of_inner_.graph, RowsOf::inner);
    program.leaves = forward_stages(leaves_, of_leaves_.graph, RowsOf::leaves);
  }

  Stages forward_stages(const std::vector<int>& values, const ExprGraph& gradients, RowsOf rows) {
    std::vector<Output> outputs;
    for (std::size_t s = 0; s < values.size(); ++s) {
      outputs.push_back({values[s], row_of(state(static_cast<int>(s)), Over::node)});
    }
    for (int e = 0; e < gradients.size(); ++e) {
      if (gradients[e].kind != Kind::kept || hoisted_.contains(gradients[e].which)) continue;
      const int kept = gradients[e].which;
      const ExprNode& node = cell_.graph()[kept];
      outputs.push_back({kept, row_of(arrays_.value(Graph::cell, kept, node, rows), std::max(node.over, Over::node))});
    }
    return lower_stages(cell_.graph(), outputs, passes_.fuse, sources(Graph::cell, cell_.graph(), rows, [this](int e) {
                          return hoisted_.contains(e) ? arrays_.known_value(Graph::cell, e) : -1;
                        }));
  }

  // Products of inputs that depend on no child. Those that leaves alone need stay in the program of the leaves, which
  // are one level.
  void hoist(Program& program) {
    std::set<int> reached;
    for (const int e : inner_) find_hoisted(e, reached);
    std::vector<Output> outputs;
    for (const int e : hoisted_) {
      const ExprNode& node = cell_.graph()[e];
      outputs.push_back({e, row_of(arrays_.value(Graph::cell, e, node, RowsOf::all), Over::node)});
    }
    if (outputs.empty()) return;
    program.before = lower_stages(cell_.graph(), outputs, passes_.fuse,
                                  sources(Graph::cell, cell_.graph(), RowsOf::all, [](int) { return -1; }));
  }
  void find_hoisted(int e, std::set<int>& reached) {
    if (e < 0 || !reached.insert(e).second) return;
    const ExprNode& node = cell_.graph()[e];
    if (node.kind == Kind::times_weight && node.over == Over::node && is_of_inputs(node.a)) {
      hoisted_.insert(e);
      return;
    }
    find_hoisted(node.a, reached);
    find_hoisted(node.b, reached);
  }
  bool is_of_inputs(int e) const {
    const ExprNode& node = cell_.graph()[e];
    if (node.kind == Kind::input) return !cell_.inputs()[static_cast<std::size_t>(node.which)].of_leaves;
    if (node.kind == Kind::child || node.kind == Kind::each) return false;
    return (node.a < 0 || is_of_inputs(node.a)) && (node.b < 0 || is_of_inputs(node.b));
  }

  // Backward

  void backward(Program& program) {
    std::vector<Output> inner, leaves;
    for (std::size_t s = 0; s < of_inner_.states.size(); ++s) {
      if (of_inner_.states[s] < 0) continue;
      inner.push_back({of_inner_.states[s], row_of(state_gradient(static_cast<int>(s)), Over::edge)});
    }
    input_gradients(of_inner_, false, inner);
    input_gradients(of_leaves_, true, leaves);
    updates(program, inner, leaves);
    program.inner = backward_stages(Graph::inner_gradients, of_inner_.graph, inner, RowsOf::inner);
    program.leaves = backward_stages(Graph::leaf_gradients, of_leaves_.graph, leaves, RowsOf::leaves);
    program.arrays = arrays_.all;
  }

  Stages backward_stages(Graph graph, const ExprGraph& g, const std::vector<Output>& outputs, RowsOf rows) {
    return lower_stages(g, outputs, passes_.fuse, sources(graph, g, rows, [](int) { return -1; }));
  }

  void input_gradients(CellGradients& of, bool leaves, std::vector<Output>& outputs) {
    for (int i = 0; i < static_cast<int>(cell_.inputs().size()); ++i) {
      const Cell::Input& input = cell_.inputs()[static_cast<std::size_t>(i)];
      if (input.of_leaves && !leaves) continue;
      const auto found = std::ranges::find(of.inputs, i, &std::pair<int, int>::first);
      const int e = found == of.inputs.end() ? of.graph.zero(input.matrix) : found->second;
      outputs.push_back({e, row_of(arrays_.of({.kind = ArrayKind::input_gradient,
                                               .which = i,
                                               .matrix = input.matrix,
                                               .of_leaves = input.of_leaves}),
                                   Over::node, RowMode::number)});
    }
  }

  // Rows of a weight's or a bias' gradient, first for inner nodes. Leaves use the same arrays where they can.
  void updates(Program& program, std::vector<Output>& inner, std::vector<Output>& leaves) {
    for (const auto& of : of_inner_.weights) program.updates.push_back(new_update(of, Graph::inner_gradients, inner));
    for (const auto& [bias, e] : of_inner_.biases) {
      program.updates.push_back(new_bias_update(bias, e, Graph::inner_gradients, inner));
    }
    for (const auto& of : of_leaves_.weights) {
      if (!joins(program.updates, of.weight, -1, {of.operand, of.gradient}, leaves)) {
        program.updates.push_back(new_update(of, Graph::leaf_gradients, leaves));
      }
    }
    for (const auto& [bias, e] : of_leaves_.biases) {
      if (!joins(program.updates, -1, bias, {-1, e}, leaves)) {
        program.updates.push_back(new_bias_update(bias, e, Graph::leaf_gradients, leaves));
      }
    }
  }

  static RowsOf rows_of(Graph graph) { return graph == Graph::leaf_gradients ? RowsOf::leaves : RowsOf::inner; }
  const ExprGraph& graph(Graph graph) const {
    return graph == Graph::leaf_gradients ? of_leaves_.graph : of_inner_.graph;
  }

  // An array with the rows of e once per node or edge.
  int rows_array(Graph of, int e, Over over, std::vector<Output>& outputs) {
    ExprNode node = graph(of)[e];
    const bool wider = std::max(node.over, Over::node) != over;
    node.over = over;
    const int array =
        wider ? arrays_.add({.kind = ArrayKind::value, .over = over, .matrix = node.matrix, .rows = rows_of(of)})
              : arrays_.value(of, e, node, rows_of(of));
    put_once(outputs, {e, row_of(array, over)});
    return array;
  }
  static void put_once(std::vector<Output>& outputs, const Output& output) {
    if (std::ranges::find(outputs, output) == outputs.end()) outputs.push_back(output);
  }

  Update new_update(const CellGradients::OfWeight& of, Graph graph, std::vector<Output>& outputs) {
    const Over over = std::max(of.over, Over::node);
    return {.weight = of.weight,
            .over = over,
            .matrix = of.matrix,
            .operand = rows_array(graph, of.operand, over, outputs),
            .gradient = rows_array(graph, of.gradient, over, outputs),
            .rows = rows_of(graph)};
  }
  Update new_bias_update(int bias, int e, Graph of, std::vector<Output>& outputs) {
    return {.bias = bias, .gradient = rows_array(of, e, Over::node, outputs), .rows = rows_of(of)};
  }

  // Extends an update of the inner nodes to the leaves, if its arrays take their rows.
  bool joins(std::vector<Update>& updates, int weight, int bias, std::pair<int, int> rows,
             std::vector<Output>& leaves) {
    for (Update& update : updates) {
      if (update.weight != weight || update.bias != bias || update.rows != RowsOf::inner) continue;
      if (update.over != Over::node) continue;
      std::vector<Output> more{{rows.second, row_of(update.gradient, Over::node)}};
      if (rows.first >= 0) more.push_back({rows.first, row_of(update.operand, Over::node)});
      const bool taken = std::ranges::any_of(more, [&](const Output& output) {
        return std::ranges::any_of(leaves, [&](const Output& o) { return o.to == output.to && o.e != output.e; });
      });
      if (taken) continue;
      for (const Output& output : more) {
        put_once(leaves, output);
        arrays_.widen(output.to.index, RowsOf::all);
      }
      update.rows = RowsOf::all;
      return true;
    }
    return false;
  }

  // Arrays

  int state(int which) {
    return arrays_.of(
        {.kind = ArrayKind::state, .which = which, .matrix = cell_.states()[static_cast<std::size_t>(which)].matrix});
  }
  int state_gradient(int which) {
    return arrays_.of({.kind = ArrayKind::state_gradient,
                       .which = which,
                       .over = Over::edge,
                       .matrix = cell_.states()[static_cast<std::size_t>(which)].matrix});
  }

  Ref given(const ExprNode& node) {
    switch (node.kind) {
      case Kind::zero:
        return {};
      case Kind::bias:
        return row_of(arrays_.of({.kind = ArrayKind::bias, .which = node.which, .over = Over::nothing}), Over::nothing,
                      RowMode::only);
      case Kind::input:
        return row_of(arrays_.of({.kind = ArrayKind::input,
                                  .which = node.which,
                                  .matrix = node.matrix,
                                  .of_leaves = cell_.inputs()[static_cast<std::size_t>(node.which)].of_leaves}),
                      Over::node, RowMode::number);
      case Kind::upstream:
        return row_of(arrays_.of({.kind = ArrayKind::upstream, .which = node.which, .matrix = node.matrix}), Over::node,
                      RowMode::number);
      case Kind::child:
        return row_of(state(node.which), Over::node, RowMode::position, node.position);
      case Kind::each:
        return row_of(state(node.which), Over::edge, RowMode::child);
      default:
        return row_of(arrays_.known_value(Graph::cell, node.which), std::max(node.over, Over::node));
    }
  }

  ArraysOfLowering sources(Graph graph, const ExprGraph& g, RowsOf rows, std::function<int(int)> made_before) {
    return {.given = [this](const ExprNode& node) { return given(node); },
            .made_before = std::move(made_before),
            .new_crossing =
                [this, &g, rows](int e) {
                  return arrays_.add({.kind = ArrayKind::crossing,
                                      .over = std::max(g[e].over, Over::node),
                                      .matrix = g[e].matrix,
                                      .rows = rows});
                },
            .state_gradients =
                [this, graph](int which) {
                  const bool has = of_inner_.states[static_cast<std::size_t>(which)] >= 0;
                  return graph != Graph::cell && has ? state_gradient(which) : -1;
                }};
  }

  const Cell& cell_;
  const LoweringPasses passes_;
  const bool training_;
  std::vector<int> inner_, leaves_;  // values of the states
  CellGradients of_inner_, of_leaves_;
  Arrays arrays_;
  std::set<int> hoisted_;
};

}  // namespace

Lowered lower(const Cell& cell, const LoweringPasses& passes, bool training) {
  return CellLowering(cell, passes, training).run();
}

}  // namespace brickwork
