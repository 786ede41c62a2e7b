#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/level_program.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork::onednn {
namespace {

using Kind = ExprKind;

bool is_curve(Kind kind) { return kind == Kind::sigmoid || kind == Kind::tanh || kind == Kind::relu; }

Curve curve_of(Kind kind) {
  return kind == Kind::sigmoid ? Curve::sigmoid
         : kind == Kind::tanh  ? Curve::tanh
         : kind == Kind::relu  ? Curve::relu
                               : Curve::none;
}

ElementOp op_of(Kind kind) {
  switch (kind) {
    case Kind::add:
      return ElementOp::add;
    case Kind::subtract:
      return ElementOp::subtract;
    case Kind::multiply:
      return ElementOp::multiply;
    case Kind::one_minus:
      return ElementOp::one_minus;
    default:
      return ElementOp::copy;
  }
}

class LevelCompiler {
 public:
  LevelCompiler(const Cell& cell, bool leaf, bool keeps)
      : cell_(cell),
        graph_(cell.graph()),
        leaf_(leaf),
        keeps_(keeps),
        groups_(product_groups(cell, leaf)),
        outside_(outside_products(cell)),
        needed_(cell.needed(leaf)),
        about_(static_cast<std::size_t>(graph_.size())),
        steps_(1) {}

  LevelProgram compile() {
    for (const int e : needed_) find_step(e);
    for (const int e : needed_) emit(e);
    for (std::size_t s = 0; s < cell_.states().size(); ++s) set_state(static_cast<int>(s));
    return {std::move(groups_.groups), std::move(steps_), std::move(scratch_), std::move(level_)};
  }

 private:
  struct About {
    int step = 0;       // whose elements compute it; for a sum of products, the step after the products
    int last_step = 0;  // that reads it
    Ref at;
  };

  About& about(int e) { return about_[static_cast<std::size_t>(e)]; }
  const ProductGroups::OfExpression& of(int e) const { return groups_.of[static_cast<std::size_t>(e)]; }
  bool is_sum(int e) const { return of(e).group >= 0 && !group_of(e).operands.empty(); }
  const ProductGroup& group_of(int e) const { return groups_.groups[static_cast<std::size_t>(of(e).group)]; }
  const std::vector<int>& others_of(int e) const {
    return group_of(e).sums[static_cast<std::size_t>(of(e).sum)].others;
  }
  bool is_given(const ExprNode& e) const { return e.a < 0 || is_outside_product(cell_, e); }

  void find_step(int e) {
    if (of(e).inside || is_given(graph_[e])) return;
    int step = 0;
    std::vector<int> read = {graph_[e].a, graph_[e].b};
    if (is_sum(e)) {
      for (const int operand : group_of(e).operands) step = std::max(step, about(operand).step + 1);
      for (const int operand : group_of(e).operands) used_in(operand, step - 1);
      put_product_in(step - 1, of(e).group);
      about(e).at = {Place::product, of(e).group, of(e).sum, group_of(e).over, group_of(e).matrix};
      read = others_of(e);
    }
    std::erase(read, -1);
    for (const int argument : read) step = std::max(step, about(argument).step);
    for (const int argument : read) used_in(argument, step);
    about(e).step = step;
    steps_.resize(std::max(steps_.size(), static_cast<std::size_t>(step) + 1));
  }

  void used_in(int e, int step) { about(e).last_step = std::max(about(e).last_step, step); }

  void put_product_in(int step, int product) {
    steps_.resize(std::max(steps_.size(), static_cast<std::size_t>(step) + 1));
    auto& products = steps_[static_cast<std::size_t>(step)].products;
    if (std::ranges::find(products, product) == products.end()) products.push_back(product);
  }

  std::vector<Element>& elements_of(int step) { return steps_[static_cast<std::size_t>(step)].elements; }

  Ref given(const ExprNode& e) const {
    switch (e.kind) {
      case Kind::input:
        return {Place::input, e.which, -1, Over::node, e.matrix};
      case Kind::bias:
        return {Place::bias, e.which, -1, Over::node, e.matrix};
      case Kind::child:
        return {Place::child, e.which, e.position, Over::node, e.matrix};
      case Kind::each:
        return {Place::each, e.which, -1, Over::edge, e.matrix};
      case Kind::zero:
        return {Place::zero, -1, -1, Over::node, e.matrix};
      case Kind::times_weight:
        return outside(graph_[e.a].which, e.which);
      default:
        throw std::logic_error("a cell has an expression that is for gradients only");
    }
  }

  Ref outside(int input, int weight) const {
    const auto product = std::ranges::find(outside_, input, &OutsideProduct::input);
    const auto column = std::ranges::find(product->weights, weight);
    return {Place::outside, static_cast<int>(product - outside_.begin()),
            static_cast<int>(column - product->weights.begin()), Over::node, false};
  }

  // The place for the result of expression e, which is computed with its argument if that ends in a curve.
  Ref place_for(int e) {
    const ExprNode& node = graph_[e];
    const Over over = over_items(node);
    for (std::size_t s = 0; s < cell_.states().size(); ++s) {
      if (value_of(cell_.states()[s], leaf_) == e) return {Place::state, static_cast<int>(s), -1, over, node.matrix};
    }
    for (std::size_t p = 0; p < groups_.groups.size(); ++p) {
      const ProductGroup& group = groups_.groups[p];
      if (group.operands == std::vector{e} && group.over == over) {
        return {Place::operand, static_cast<int>(p), 0, over, node.matrix};
      }
    }
    for (const int sum : {e, node.a}) {
      if (is_sum(sum) && (sum == e || ends_in_curve(sum))) return about(sum).at;
    }
    const bool crosses = keeps_ || about(e).last_step > about(e).step;
    auto& values = crosses ? level_ : scratch_;
    values.push_back({over, node.matrix});
    return {crosses ? Place::level : Place::scratch, static_cast<int>(values.size()) - 1, -1, over, node.matrix};
  }

  // An operation whose only user is a curve of the same step is done in one pass with it.
  bool ends_in_curve(int e) {
    const auto& users = groups_.users[static_cast<std::size_t>(e)];
    if (users.size() != 1 || users.front() == ProductGroups::kState) return false;
    const bool passes = is_sum(e) || op_of(graph_[e].kind) != ElementOp::copy;
    return passes && is_curve(graph_[users.front()].kind) && about(users.front()).step == about(e).step;
  }

  void emit(int e) {
    if (of(e).inside) return;
    const ExprNode& node = graph_[e];
    if (is_given(node)) {
      about(e).at = given(node);
    } else if (!ends_in_curve(e)) {
      const bool joined = is_curve(node.kind) && ends_in_curve(node.a);
      const Ref to = place_for(e);
      compute(joined ? node.a : e, to, joined ? curve_of(node.kind) : Curve::none);
      about(e).at = to;
    }
    copy_to_operands(e);
  }

  // Appends the elements of expression e, whose result gets the curve and goes to `to`.
  void compute(int e, const Ref& to, Curve curve) {
    if (is_sum(e)) return add_others(e, to, curve);
    const ExprNode& node = graph_[e];
    Element element{.over = to.over, .matrix = node.matrix, .to = to, .a = about(node.a).at};
    element.kind = node.kind == Kind::sum_of_children ? Element::Kind::sum_of_children
                   : node.kind == Kind::times_matrix  ? Element::Kind::times_matrix
                                                      : Element::Kind::element;
    element.op = op_of(node.kind);
    element.curve = is_curve(node.kind) ? curve_of(node.kind) : curve;
    if (node.b >= 0) element.b = about(node.b).at;
    elements_of(about(e).step).push_back(element);
  }

  // A sum without others may stay where the product left it.
  void add_others(int e, const Ref& to, Curve curve) {
    const auto& others = others_of(e);
    const Ref sum = about(e).at;
    const auto put = [&](ElementOp op, Curve then, const Ref& into, const Ref& other) {
      elements_of(about(e).step)
          .push_back({.op = op, .curve = then, .over = to.over, .matrix = to.matrix, .to = into, .a = sum, .b = other});
    };
    for (std::size_t i = 0; i + 1 < others.size(); ++i) put(ElementOp::add, Curve::none, sum, about(others[i]).at);
    if (!others.empty()) return put(ElementOp::add, curve, to, about(others.back()).at);
    if (curve != Curve::none || to != sum) put(ElementOp::copy, curve, to, {});
  }

  void copy_to_operands(int e) {
    for (Step& step : steps_) {
      for (const int p : step.products) {
        const ProductGroup& group = groups_.groups[static_cast<std::size_t>(p)];
        for (std::size_t i = 0; i < group.operands.size(); ++i) {
          const Ref to{Place::operand, p, static_cast<int>(i), group.over, group.matrix};
          if (group.operands[i] != e || about(e).at == to) continue;
          step.elements.push_back({.over = group.over, .matrix = group.matrix, .to = to, .a = about(e).at});
        }
      }
    }
  }

  void set_state(int s) {
    const int e = value_of(cell_.states()[static_cast<std::size_t>(s)], leaf_);
    const Ref to{Place::state, s, -1, Over::node, graph_[e].matrix};
    if (about(e).at != to) elements_of(about(e).step).push_back({.matrix = to.matrix, .to = to, .a = about(e).at});
  }

  const Cell& cell_;
  const ExprGraph& graph_;
  bool leaf_, keeps_;
  ProductGroups groups_;
  std::vector<OutsideProduct> outside_;
  std::vector<int> needed_;
  std::vector<About> about_;
  std::vector<Step> steps_;
  std::vector<Value> scratch_, level_;
};

}  // namespace

LevelProgram level_program(const Cell& cell, bool leaf, bool keeps) {
  return LevelCompiler(cell, leaf, keeps).compile();
}

}  // namespace brickwork::onednn
#endif
