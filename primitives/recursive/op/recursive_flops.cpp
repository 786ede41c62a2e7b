#include "primitives/recursive/op/recursive_flops.hpp"

#include <map>

namespace brickwork::recursive_ops {
namespace {

// The expressions of a cell for a node with this many children.
class NodeWork {
 public:
  NodeWork(const Cell& cell, std::size_t children)
      : graph_(cell.graph()), children_(children), needed_(cell.needed(children == 0)) {
    zero_.resize(static_cast<std::size_t>(graph_.size()));
    varies_.resize(zero_.size());
    for (const int e : needed_) {
      zero_[static_cast<std::size_t>(e)] = is_zero(graph_[e]);
      varies_[static_cast<std::size_t>(e)] = varies(graph_[e]);
    }
  }

  // Rows that are multiplied with a matrix of H x H, forward or backward.
  double rows(std::int64_t H, bool backward) const {
    double rows = 0;
    for (const int e : needed_) {
      const ExprNode& product = graph_[e];
      if (!is_product(product.kind) || is_zero(e)) continue;
      const double copies = product.over == Over::edge ? static_cast<double>(children_) : 1;
      const double times = backward ? (varies(product.a) ? 1 : 0) + (product.b < 0 || varies(product.b) ? 1 : 0) : 1;
      rows += times * copies * (product.matrix ? static_cast<double>(H) : 1);
    }
    return rows;
  }

 private:
  bool is_zero(int e) const { return e >= 0 && zero_[static_cast<std::size_t>(e)]; }
  bool varies(int e) const { return e >= 0 && varies_[static_cast<std::size_t>(e)]; }

  bool is_zero(const ExprNode& e) const {
    switch (e.kind) {
      case ExprKind::zero:
        return true;
      case ExprKind::child:
        return static_cast<std::size_t>(e.position) >= children_;
      case ExprKind::sum_of_children:
      case ExprKind::times_weight:
      case ExprKind::tanh:
      case ExprKind::relu:
        return is_zero(e.a);
      case ExprKind::times_matrix:
      case ExprKind::multiply:
        return is_zero(e.a) || is_zero(e.b);
      case ExprKind::add:
      case ExprKind::subtract:
        return is_zero(e.a) && is_zero(e.b);
      default:
        return false;
    }
  }

  bool varies(const ExprNode& e) const {
    return e.kind == ExprKind::input || e.kind == ExprKind::child || e.kind == ExprKind::each || varies(e.a) ||
           varies(e.b);
  }

  const ExprGraph& graph_;
  std::size_t children_;
  std::vector<int> needed_;
  std::vector<bool> zero_, varies_;  // by expression; varies: depends on an input or a child
};

double flops(const Cell& cell, std::int64_t H, const Forest& forest, bool backward) {
  std::map<std::size_t, double> nodes;  // by their number of children
  for (std::int32_t node = 0; node < forest.nodes(); ++node) ++nodes[forest.children_of(node).size()];
  double rows = 0;
  for (const auto& [children, count] : nodes) rows += count * NodeWork(cell, children).rows(H, backward);
  return rows * 2 * static_cast<double>(H) * static_cast<double>(H);
}

}  // namespace

double forward_flops(const Cell& cell, std::int64_t H, const Forest& forest) { return flops(cell, H, forest, false); }

double backward_flops(const Cell& cell, std::int64_t H, const Forest& forest) { return flops(cell, H, forest, true); }

}  // namespace brickwork::recursive_ops
