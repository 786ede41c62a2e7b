#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/level_program.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork::onednn {
namespace {

using K = ExprKind;

// A sum of expressions whose products go into one matmul.
struct Sum {
  int root;
  std::vector<int> operands;
  Product::Column column;
  std::vector<int> others;
};

Over over_items(const ExprNode& e) { return e.over == Over::edge ? Over::edge : Over::node; }

bool is_curve(K kind) { return kind == K::sigmoid || kind == K::tanh || kind == K::relu; }

Curve curve_of(K kind) {
  return kind == K::sigmoid ? Curve::sigmoid
         : kind == K::tanh  ? Curve::tanh
         : kind == K::relu  ? Curve::relu
                            : Curve::none;
}

ElementOp op_of(K kind) {
  switch (kind) {
    case K::add:
      return ElementOp::add;
    case K::subtract:
      return ElementOp::subtract;
    case K::multiply:
      return ElementOp::multiply;
    case K::one_minus:
      return ElementOp::one_minus;
    default:
      return ElementOp::copy;
  }
}

class LevelCompiler {
 public:
  LevelCompiler(const Cell& cell, bool leaf, std::vector<Product>& outside)
      : cell_(cell),
        graph_(cell.graph()),
        leaf_(leaf),
        outside_(outside),
        needed_(cell.needed(leaf)),
        about_(static_cast<std::size_t>(graph_.size())) {}

  LevelProgram compile() {
    count_users();
    for (auto e = needed_.rbegin(); e != needed_.rend(); ++e) collect_sum(*e);
    for (const int e : needed_) find_step(e);
    for (const int e : needed_) find_last_step(e);
    for (const int e : needed_) emit(e);
    for (std::size_t s = 0; s < cell_.states().size(); ++s) set_state(static_cast<int>(s));
    return std::move(program_);
  }

 private:
  struct About {
    std::vector<int> users;
    int step = 0;         // whose elements compute it; a product's sum is there one step later
    int last_step = 0;    // that reads it
    int sum = -1;         // of which it is the root
    bool inside = false;  // of a sum, or of the element of its only user
    Ref at;
  };

  About& about(int e) { return about_[static_cast<std::size_t>(e)]; }
  int value_of(const Cell::StateOf& state) const { return leaf_ ? state.leaf_value : state.value; }
  bool is_product_inside_level(const ExprNode& e) const { return e.kind == K::times_weight && !is_outside(e); }
  bool is_outside(const ExprNode& e) const {
    if (e.kind != K::times_weight || graph_[e.a].kind != K::input) return false;
    const Cell::Input& input = cell_.inputs()[static_cast<std::size_t>(graph_[e.a].which)];
    return !input.of_leaves && !input.matrix;
  }
  bool is_given(const ExprNode& e) const { return e.a < 0 || is_outside(e); }

  void count_users() {
    constexpr int kState = -1;
    for (const int e : needed_) {
      for (const int argument : {graph_[e].a, graph_[e].b}) {
        if (argument >= 0) about(argument).users.push_back(e);
      }
    }
    for (const Cell::StateOf& state : cell_.states()) about(value_of(state)).users.push_back(kState);
  }
  bool has_one_user(int e) { return about(e).users.size() == 1; }

  // Users come before what they use, so that a sum is found at its root.
  void collect_sum(int e) {
    if (about(e).inside || (graph_[e].kind != K::add && !is_product_inside_level(graph_[e]))) return;
    Sum sum{.root = e};
    std::vector<int> added;
    flatten(e, sum, added);
    if (sum.operands.empty()) return;
    for (const int term : added) about(term).inside = term != e;
    about(e).sum = static_cast<int>(sums_.size());
    sums_.push_back(std::move(sum));
  }

  void flatten(int e, Sum& sum, std::vector<int>& added) {
    const ExprNode& node = graph_[e];
    const bool ours = e == sum.root || has_one_user(e);
    if (ours && node.kind == K::add && node.over == graph_[sum.root].over) {
      added.push_back(e);
      flatten(node.a, sum, added);
      flatten(node.b, sum, added);
    } else if (ours && is_product_inside_level(node) && node.over == graph_[sum.root].over) {
      added.push_back(e);
      sum.operands.push_back(node.a);
      sum.column.weights.push_back(node.which);
    } else if (node.kind == K::bias && sum.column.bias < 0 && !graph_[sum.root].matrix) {
      sum.column.bias = node.which;
    } else {
      sum.others.push_back(e);
    }
  }

  void find_step(int e) {
    if (about(e).inside || is_given(graph_[e])) return;
    int step = 0;
    if (about(e).sum < 0) {
      for (const int argument : {graph_[e].a, graph_[e].b})
        step = std::max(step, argument < 0 ? 0 : about(argument).step);
    } else {
      const Sum& sum = sums_[static_cast<std::size_t>(about(e).sum)];
      for (const int operand : sum.operands) step = std::max(step, about(operand).step + 1);
      put_in_product(sum, step - 1);
      for (const int other : sum.others) step = std::max(step, about(other).step);
    }
    about(e).step = step;
    program_.steps.resize(std::max(program_.steps.size(), static_cast<std::size_t>(step) + 1));
  }

  // Joins a product that has the same operands and is made after the same step.
  void put_in_product(const Sum& sum, int step) {
    program_.steps.resize(std::max(program_.steps.size(), static_cast<std::size_t>(step) + 1));
    auto& of_step = program_.steps[static_cast<std::size_t>(step)].products;
    const bool matrix = graph_[sum.root].matrix;
    const Over over = over_items(graph_[sum.root]);
    const auto found = std::ranges::find_if(of_step, [&](int p) {
      const Product& product = program_.products[static_cast<std::size_t>(p)];
      return product.operands == sum.operands && product.over == over && product.matrix == matrix;
    });
    const int p = found != of_step.end() ? *found : static_cast<int>(program_.products.size());
    if (found == of_step.end()) {
      of_step.push_back(p);
      program_.products.push_back({.over = over, .matrix = matrix, .operands = sum.operands});
    }
    auto& columns = program_.products[static_cast<std::size_t>(p)].columns;
    about(sum.root).at = {Place::product, p, static_cast<int>(columns.size()), over, matrix};
    columns.push_back(sum.column);
    for (const int operand : sum.operands) used_in(operand, step);
  }

  void used_in(int argument, int step) { about(argument).last_step = std::max(about(argument).last_step, step); }
  void find_last_step(int e) {
    if (about(e).inside || is_given(graph_[e])) return;
    if (about(e).sum >= 0) {
      for (const int other : sums_[static_cast<std::size_t>(about(e).sum)].others) used_in(other, about(e).step);
    } else {
      for (const int argument : {graph_[e].a, graph_[e].b}) {
        if (argument >= 0) used_in(argument, about(e).step);
      }
    }
  }

  std::vector<Element>& elements_of(int step) { return program_.steps[static_cast<std::size_t>(step)].elements; }

  Ref given(const ExprNode& e) {
    switch (e.kind) {
      case K::input:
        return {Place::input, e.which, -1, Over::node, e.matrix};
      case K::bias:
        return {Place::bias, e.which, -1, Over::node, e.matrix};
      case K::child:
        return {Place::child, e.which, e.position, Over::node, e.matrix};
      case K::each:
        return {Place::each, e.which, -1, Over::edge, e.matrix};
      case K::zero:
        return {Place::zero, -1, -1, Over::node, e.matrix};
      case K::times_weight:
        return outside(graph_[e.a].which, e.which);
      default:
        throw std::logic_error("a cell has an expression that is for gradients only");
    }
  }

  Ref outside(int input, int weight) {
    auto product = std::ranges::find_if(outside_, [&](const Product& p) { return p.operands.front() == input; });
    if (product == outside_.end()) product = outside_.insert(outside_.end(), {.operands = {input}});
    const Product::Column wanted{{weight}};
    auto column = std::ranges::find(product->columns, wanted);
    if (column == product->columns.end()) column = product->columns.insert(column, wanted);
    return {Place::outside, static_cast<int>(product - outside_.begin()),
            static_cast<int>(column - product->columns.begin()), Over::node, false};
  }

  // The place for the result of expression e, which is computed with its argument if that ends in a curve.
  Ref place_for(int e) {
    const ExprNode& node = graph_[e];
    const Over over = over_items(node);
    for (std::size_t s = 0; s < cell_.states().size(); ++s) {
      if (value_of(cell_.states()[s]) == e) return {Place::state, static_cast<int>(s), -1, over, node.matrix};
    }
    for (std::size_t p = 0; p < program_.products.size(); ++p) {
      const Product& product = program_.products[p];
      if (product.operands == std::vector{e} && product.over == over) {
        return {Place::operand, static_cast<int>(p), 0, over, node.matrix};
      }
    }
    for (const int sum : {e, node.a}) {
      if (about(sum).sum >= 0 && (sum == e || ends_in_curve(sum))) return about(sum).at;
    }
    const bool crosses = about(e).last_step > about(e).step;
    auto& values = crosses ? program_.level : program_.scratch;
    values.emplace_back(over, node.matrix);
    return {crosses ? Place::level : Place::scratch, static_cast<int>(values.size()) - 1, -1, over, node.matrix};
  }

  // An operation whose only user is a curve of the same step is done in one pass with it.
  bool ends_in_curve(int e) {
    if (!has_one_user(e) || about(e).users.front() < 0) return false;
    const int user = about(e).users.front();
    const bool passes = about(e).sum >= 0 || op_of(graph_[e].kind) != ElementOp::copy;
    return passes && is_curve(graph_[user].kind) && about(user).step == about(e).step;
  }

  void emit(int e) {
    if (about(e).inside) return;
    const ExprNode& node = graph_[e];
    if (is_given(node)) {
      about(e).at = given(node);
    } else if (!ends_in_curve(e)) {
      const bool curve = is_curve(node.kind);
      const bool joined = curve && ends_in_curve(node.a);
      const Ref to = place_for(e);
      compute(joined ? node.a : e, to, joined ? curve_of(node.kind) : Curve::none);
      about(e).at = to;
    }
    copy_to_operands(e);
  }

  // Appends the elements of expression e, whose result gets the curve and goes to `to`.
  void compute(int e, const Ref& to, Curve curve) {
    if (about(e).sum >= 0) return add_others(e, to, curve);
    const ExprNode& node = graph_[e];
    Element element{.over = to.over, .matrix = node.matrix, .to = to, .a = about(node.a).at};
    element.kind = node.kind == K::sum_of_children ? Element::Kind::sum_of_children
                   : node.kind == K::times_matrix  ? Element::Kind::times_matrix
                                                   : Element::Kind::element;
    element.op = op_of(node.kind);
    element.curve = is_curve(node.kind) ? curve_of(node.kind) : curve;
    if (node.b >= 0) element.b = about(node.b).at;
    elements_of(about(e).step).push_back(element);
  }

  // A sum without others may stay where the product left it.
  void add_others(int e, const Ref& to, Curve curve) {
    const auto& others = sums_[static_cast<std::size_t>(about(e).sum)].others;
    const Ref sum = about(e).at;
    auto& elements = elements_of(about(e).step);
    const auto put = [&](ElementOp op, Curve then, const Ref& into, const Ref& other) {
      elements.push_back(
          {.op = op, .curve = then, .over = to.over, .matrix = to.matrix, .to = into, .a = sum, .b = other});
    };
    for (std::size_t i = 0; i + 1 < others.size(); ++i) put(ElementOp::add, Curve::none, sum, about(others[i]).at);
    if (!others.empty()) return put(ElementOp::add, curve, to, about(others.back()).at);
    if (curve != Curve::none || to != sum) put(ElementOp::copy, curve, to, {});
  }

  void copy_to_operands(int e) {
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      for (const int p : program_.steps[s].products) {
        const Product& product = program_.products[static_cast<std::size_t>(p)];
        for (std::size_t i = 0; i < product.operands.size(); ++i) {
          const Ref to{Place::operand, p, static_cast<int>(i), product.over, product.matrix};
          if (product.operands[i] == e && about(e).at != to) {
            program_.steps[s].elements.push_back(
                {.over = product.over, .matrix = product.matrix, .to = to, .a = about(e).at});
          }
        }
      }
    }
  }

  void set_state(int s) {
    const int e = value_of(cell_.states()[static_cast<std::size_t>(s)]);
    const Ref to{Place::state, s, -1, Over::node, graph_[e].matrix};
    if (about(e).at == to) return;
    program_.steps.resize(std::max<std::size_t>(1, program_.steps.size()));
    elements_of(about(e).step).push_back({.matrix = to.matrix, .to = to, .a = about(e).at});
  }

  const Cell& cell_;
  const ExprGraph& graph_;
  bool leaf_;
  std::vector<Product>& outside_;
  std::vector<int> needed_;
  std::vector<About> about_;
  std::vector<Sum> sums_;
  LevelProgram program_;
};

}  // namespace

CellPrograms level_programs(const Cell& cell) {
  CellPrograms programs;
  programs.inner = LevelCompiler(cell, /*leaf=*/false, programs.outside).compile();
  programs.leaves = LevelCompiler(cell, /*leaf=*/true, programs.outside).compile();
  return programs;
}

}  // namespace brickwork::onednn
#endif
