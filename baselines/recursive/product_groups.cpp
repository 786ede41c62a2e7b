#include "baselines/recursive/product_groups.hpp"

#include <algorithm>

namespace brickwork {
namespace {

using Kind = ExprKind;

class SumFinder {
 public:
  SumFinder(const Cell& cell, bool leaf, ProductGroups& found)
      : cell_(cell), graph_(cell.graph()), leaf_(leaf), found_(found), needed_(cell.needed(leaf)) {
    found_.of.resize(static_cast<std::size_t>(graph_.size()));
    found_.users.resize(found_.of.size());
  }

  void find() {
    for (const int e : needed_) {
      for (const int argument : {graph_[e].a, graph_[e].b}) {
        if (argument >= 0) users_of(argument).push_back(e);
      }
    }
    for (const Cell::StateOf& state : cell_.states()) users_of(value_of(state, leaf_)).push_back(ProductGroups::kState);
    // Users come before what they use, so that a sum is found at its root.
    for (auto e = needed_.rbegin(); e != needed_.rend(); ++e) find_sum(*e);
    for (std::size_t g = 0; g < found_.groups.size(); ++g) {
      auto& sums = found_.groups[g].sums;
      std::ranges::sort(sums, {}, &ProductGroup::Sum::root);
      for (std::size_t s = 0; s < sums.size(); ++s) {
        of(sums[s].root).group = static_cast<int>(g);
        of(sums[s].root).sum = static_cast<int>(s);
      }
    }
  }

 private:
  std::vector<int>& users_of(int e) { return found_.users[static_cast<std::size_t>(e)]; }
  ProductGroups::OfExpression& of(int e) { return found_.of[static_cast<std::size_t>(e)]; }
  bool is_product(const ExprNode& e) const { return e.kind == Kind::times_weight && !is_outside_product(cell_, e); }

  bool is_of_input(const ExprNode& e) const { return e.kind == Kind::input || is_outside_product(cell_, e); }

  void find_sum(int e) {
    if (of(e).inside || (graph_[e].kind != Kind::add && !is_product(graph_[e]))) return;
    ProductGroup::Sum sum{.root = e};
    operands_.clear();
    added_.clear();
    add_term(e, sum);
    const bool input_and_bias =
        sum.bias >= 0 && sum.others.size() == 1 && graph_[sum.others.front()].kind == Kind::input;
    if (operands_.empty() && !input_and_bias) return;
    for (const int term : added_) of(term).inside = term != e;
    put_in_group(std::move(sum));
  }

  void add_term(int e, ProductGroup::Sum& sum) {
    const ExprNode& node = graph_[e];
    const ExprNode& root = graph_[sum.root];
    const bool part = e == sum.root || (users_of(e).size() == 1 && node.over == root.over);
    if (part && node.kind == Kind::add) {
      added_.push_back(e);
      add_term(node.a, sum);
      add_term(node.b, sum);
    } else if (part && is_product(node)) {
      added_.push_back(e);
      operands_.push_back(node.a);
      sum.weights.push_back(node.which);
    } else if (node.kind == Kind::bias && sum.bias < 0 && !root.matrix) {
      sum.bias = node.which;
    } else {
      sum.others.push_back(e);
    }
  }

  void put_in_group(ProductGroup::Sum sum) {
    const Over over = over_items(graph_[sum.root]);
    const bool matrix = graph_[sum.root].matrix;
    auto& groups = found_.groups;
    auto group = std::ranges::find_if(
        groups, [&](const ProductGroup& g) { return g.operands == operands_ && g.over == over && g.matrix == matrix; });
    if (group == groups.end()) {
      group = groups.insert(group, {.over = over, .matrix = matrix, .operands = operands_});
    }
    group->sums.push_back(std::move(sum));
  }

  const Cell& cell_;
  const ExprGraph& graph_;
  bool leaf_;
  ProductGroups& found_;
  std::vector<int> needed_;
  std::vector<int> operands_, added_;  // of the sum that is being found
};

}  // namespace

bool ProductGroup::has_bias() const {
  return std::ranges::any_of(sums, [](const Sum& sum) { return sum.bias >= 0; });
}

ProductGroups product_groups(const Cell& cell, bool leaf) {
  ProductGroups found;
  SumFinder(cell, leaf, found).find();
  return found;
}

bool is_outside_product(const Cell& cell, const ExprNode& e) {
  if (e.kind != Kind::times_weight || cell.graph()[e.a].kind != Kind::input) return false;
  const Cell::Input& input = cell.inputs()[static_cast<std::size_t>(cell.graph()[e.a].which)];
  return !input.of_leaves && !input.matrix;
}

std::vector<OutsideProduct> outside_products(const Cell& cell) {
  std::vector<OutsideProduct> products;
  for (int e = 0; e < cell.graph().size(); ++e) {
    if (!is_outside_product(cell, cell.graph()[e])) continue;
    const int input = cell.graph()[cell.graph()[e].a].which;
    auto product = std::ranges::find(products, input, &OutsideProduct::input);
    if (product == products.end()) product = products.insert(product, {input, {}});
    product->weights.push_back(cell.graph()[e].which);
  }
  return products;
}

}  // namespace brickwork
