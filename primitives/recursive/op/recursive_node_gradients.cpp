#include <stdexcept>

#include "kernels/epilogue/activation.hpp"
#include "primitives/recursive/op/recursive_node.hpp"

namespace brickwork::recursive_node {
namespace {

struct ElementGradients {
  double a = 0, b = 0;
};

// The gradients of an element's arguments from its own value y and gradient dy.
ElementGradients element_gradients(ExprKind kind, double a, double b, double y, double dy) {
  switch (kind) {
    case ExprKind::add:
      return {dy, dy};
    case ExprKind::subtract:
      return {dy, -dy};
    case ExprKind::multiply:
      return {dy * b, dy * a};
    case ExprKind::one_minus:
      return {-dy};
    case ExprKind::sigmoid:
      return {times_derivative(Activation::sigmoid, dy, y)};
    case ExprKind::tanh:
      return {times_derivative(Activation::tanh, dy, y)};
    case ExprKind::relu:
      return {times_derivative(Activation::relu, dy, y)};
    default:
      throw std::logic_error("a cell has an expression that is for gradients only");
  }
}

}  // namespace

// The few rows of the matrix stay in the cache while all rows of a and b go by.
void add_outer_products(const double* a, const double* b, std::int64_t count, std::int64_t H, std::int64_t first,
                        std::int64_t end, double* matrix) {
  for (std::int64_t r = 0; r < count; ++r) {
    for (std::int64_t k = first; k < end; ++k) {
      const double x = a[r * H + k];
      for (std::int64_t n = 0; n < H; ++n) matrix[k * H + n] += x * b[r * H + n];
    }
  }
}

Values transposed(const double* matrix, std::int64_t H) {
  Values to(static_cast<std::size_t>(H * H));
  for (std::int64_t k = 0; k < H; ++k) {
    for (std::int64_t n = 0; n < H; ++n) to[static_cast<std::size_t>(n * H + k)] = matrix[k * H + n];
  }
  return to;
}

void CellAtNode::backward(const Node& node, Gradients& d) {
  evaluate(node);
  for (const int e : needed(node)) {
    gradients_[static_cast<std::size_t>(e)].assign(values_[static_cast<std::size_t>(e)].size(), 0.0);
  }
  for (std::size_t s = 0; s < cell_.states().size(); ++s) {
    const Cell::StateOf& state = cell_.states()[s];
    const std::int64_t one = size(state.matrix);
    add(d.states[s] + node.number * one, one, gradients_[static_cast<std::size_t>(state_of(state, node))].data());
  }
  for (auto e = needed(node).rbegin(); e != needed(node).rend(); ++e) {
    const auto number = static_cast<std::size_t>(*e);
    if (graph_[*e].a < 0) {
      add_gradients(graph_[*e], node, gradients_[number], d);
    } else {
      add_gradients_of_arguments(graph_[*e], values_[number], gradients_[number], d);
    }
  }
}

// Of a given value.
void CellAtNode::add_gradients(const ExprNode& e, const Node& node, const Values& dy, Gradients& d) {
  const std::int64_t one = size(e.matrix);
  const auto which = static_cast<std::size_t>(e.which);
  switch (e.kind) {
    case ExprKind::input:
      return add(dy.data(), one, d.inputs[which] + row_of(e, node) * one);
    case ExprKind::bias:
      return add(dy.data(), one, d.biases[which].data());
    case ExprKind::child:
    case ExprKind::each:
      for (std::size_t c = 0; const std::int32_t child : children_taken(e, node)) {
        add(part_of(dy, c++, one), one, d.states[which] + child * one);
      }
      return;
    default:
      return;
  }
}

void CellAtNode::add_gradients_of_arguments(const ExprNode& e, const Values& y, const Values& dy, Gradients& d) {
  const auto first = static_cast<std::size_t>(e.a), second = static_cast<std::size_t>(e.b < 0 ? e.a : e.b);
  const Values &a = values_[first], &b = values_[second];
  Values &da = gradients_[first], &db = gradients_[second];
  const auto which = static_cast<std::size_t>(e.which), row = static_cast<std::size_t>(H_);
  switch (e.kind) {
    case ExprKind::sum_of_children:
      for (std::size_t c = 0; c < da.size() / dy.size(); ++c)
        add(dy.data(), std::ssize(dy), part_of(da, c, std::ssize(dy)));
      return;
    case ExprKind::times_weight: {
      WeightRows& of_weight = d.weights[which];
      of_weight.rows.insert(of_weight.rows.end(), a.begin(), a.end());
      of_weight.gradients.insert(of_weight.gradients.end(), dy.begin(), dy.end());
      return add_product(dy.data(), std::ssize(dy) / H_, tensors_.transposed_weights[which].data(), H_, da.data());
    }
    case ExprKind::times_matrix:
      for (std::size_t c = 0; c < dy.size() / row; ++c) {
        const double* const d_row = part_of(dy, c, H_);
        add_product(d_row, 1, transposed(part_of(b, c, H_ * H_), H_).data(), H_, part_of(da, c, H_));
        add_outer_products(part_of(a, c, H_), d_row, 1, H_, 0, H_, part_of(db, c, H_ * H_));
      }
      return;
    default:
      for (std::size_t i = 0; i < dy.size(); ++i) {
        const std::size_t at_a = i % a.size(), at_b = i % b.size();
        const ElementGradients of = element_gradients(e.kind, a[at_a], b[at_b], y[i], dy[i]);
        da[at_a] += of.a;
        if (e.b >= 0) db[at_b] += of.b;
      }
  }
}

}  // namespace brickwork::recursive_node
