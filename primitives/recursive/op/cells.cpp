#include "primitives/recursive/op/cells.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace brickwork {
namespace {

// The inputs x_* are products of a word's vector with weights, made before the recursion, as in the paper: a model's
// time is that of the recursion. LSTM and GRU multiply x themselves, as recurrent layers do.

// x_name + from U_name + b_name: what a gate is the curve of.
Expr before_gate(Cell& cell, const char* name, Expr from) {
  return cell.input(fmt::format("x_{}", name)) + from * cell.weight(fmt::format("U_{}", name)) +
         cell.bias(fmt::format("b_{}", name));
}
// The same with a product of x.
Expr before_gate(Cell& cell, Expr x, const char* name, Expr from) {
  return x * cell.weight(fmt::format("W_{}", name)) + from * cell.weight(fmt::format("U_{}", name)) +
         cell.bias(fmt::format("b_{}", name));
}

void tree_fc(Cell& cell) {
  const State h = cell.state("h");
  cell.set_leaf(h, cell.leaf_input("x"));
  cell.set(h, relu(child(h, 0) * cell.weight("W_left") + child(h, 1) * cell.weight("W_right") + cell.bias("b")));
}

void tree_rnn(Cell& cell) {
  const State h = cell.state("h");
  cell.set(h, tanh(cell.input("x") + sum_over_children(h) * cell.weight("U") + cell.bias("b")));
}

void tree_lstm(Cell& cell) {
  const State h = cell.state("h"), c = cell.state("c");
  const Expr sum = sum_over_children(h);
  const auto gate = [&](const char* name, Expr from) { return before_gate(cell, name, from); };
  const Expr i = sigmoid(gate("i", sum)), o = sigmoid(gate("o", sum)), u = tanh(gate("u", sum));
  const Expr f = sigmoid(gate("f", each(h)));
  const Expr new_c = i * u + sum_over_children(f * each(c));
  cell.set(c, new_c);
  cell.set(h, o * tanh(new_c));
}

void nary_tree_lstm(Cell& cell) {
  const State h = cell.state("h"), c = cell.state("c");
  const auto gate = [&](const std::string& name, Expr x) {
    return x + child(h, 0) * cell.weight(fmt::format("U_{}0", name)) +
           child(h, 1) * cell.weight(fmt::format("U_{}1", name)) + cell.bias(fmt::format("b_{}", name));
  };
  const Expr i = sigmoid(gate("i", cell.input("x_i"))), o = sigmoid(gate("o", cell.input("x_o")));
  const Expr u = tanh(gate("u", cell.input("x_u"))), x_f = cell.input("x_f");
  const Expr left = sigmoid(gate("left", x_f)), right = sigmoid(gate("right", x_f));
  const Expr new_c = i * u + left * child(c, 0) + right * child(c, 1);
  cell.set(c, new_c);
  cell.set(h, o * tanh(new_c));
}

// z mixes the new value with the sum of the children's states; r resets this sum before its product.
void gru_over_children(Cell& cell, bool forgets) {
  const State h = cell.state("h");
  const Expr sum = sum_over_children(h);
  const auto gate = [&](const char* name, Expr from) { return before_gate(cell, name, from); };
  const Expr r = sigmoid(gate("r", sum)), z = sigmoid(gate("z", sum)), new_h = tanh(gate("h", r * sum));
  cell.set(h, forgets ? one_minus(z) * new_h : one_minus(z) * new_h + z * sum);
}

void tree_gru(Cell& cell) { gru_over_children(cell, false); }
void simple_tree_gru(Cell& cell) { gru_over_children(cell, true); }

// With vectors a, b and matrices A, B of the two children: p = tanh((a B) W_left + (b A) W_right + bias), and
// P = A M_left + B M_right. Vectors are rows: this is the transpose of the paper's formulas.
void mv_rnn(Cell& cell) {
  const State p = cell.state("p"), P = cell.matrix_state("P");
  cell.set_leaf(p, cell.leaf_input("x"));
  cell.set_leaf(P, cell.leaf_matrix("X"));
  cell.set(p, tanh(product(child(p, 0), child(P, 1)) * cell.weight("W_left") +
                   product(child(p, 1), child(P, 0)) * cell.weight("W_right") + cell.bias("b")));
  cell.set(P, child(P, 0) * cell.weight("M_left") + child(P, 1) * cell.weight("M_right"));
}

void lstm(Cell& cell) {
  const State h = cell.state("h"), c = cell.state("c");
  const Expr x = cell.input("x");
  const auto gate = [&](const char* name) { return before_gate(cell, x, name, child(h, 0)); };
  const Expr i = sigmoid(gate("i")), f = sigmoid(gate("f")), g = tanh(gate("g")), o = sigmoid(gate("o"));
  const Expr new_c = f * child(c, 0) + i * g;
  cell.set(c, new_c);
  cell.set(h, o * tanh(new_c));
}

void gru(Cell& cell) {
  const State h = cell.state("h");
  const Expr x = cell.input("x"), before = child(h, 0);
  const auto gate = [&](const char* name, Expr from) { return before_gate(cell, x, name, from); };
  const Expr u = sigmoid(gate("u", before)), r = sigmoid(gate("r", before)), o = tanh(gate("o", r * before));
  cell.set(h, u * before + one_minus(u) * o);
}

struct Entry {
  ModelOf model;
  StructureKind kind;
  int most_children;  // 0: any number
  void (*describe)(Cell&);
};

constexpr Entry kModels[] = {
    {{RecursiveModel::tree_fc, "tree-fc"}, StructureKind::tree, 2, tree_fc},
    {{RecursiveModel::tree_rnn, "tree-rnn"}, StructureKind::tree, 0, tree_rnn},
    {{RecursiveModel::tree_lstm, "tree-lstm"}, StructureKind::tree, 0, tree_lstm},
    {{RecursiveModel::nary_tree_lstm, "nary-tree-lstm"}, StructureKind::tree, 2, nary_tree_lstm},
    {{RecursiveModel::tree_gru, "tree-gru"}, StructureKind::tree, 0, tree_gru},
    {{RecursiveModel::simple_tree_gru, "simple-tree-gru"}, StructureKind::tree, 0, simple_tree_gru},
    {{RecursiveModel::mv_rnn, "mv-rnn"}, StructureKind::tree, 2, mv_rnn},
    {{RecursiveModel::dag_rnn, "dag-rnn"}, StructureKind::dag, 0, tree_rnn},
    {{RecursiveModel::lstm, "lstm"}, StructureKind::sequence, 1, lstm},
    {{RecursiveModel::gru, "gru"}, StructureKind::sequence, 1, gru},
};

}  // namespace

std::span<const ModelOf> recursive_models() {
  static const auto models = [] {
    std::array<ModelOf, std::size(kModels)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kModels[i].model;
    return all;
  }();
  return models;
}

const Cell& cell_of(RecursiveModel model) {
  static const auto cells = [] {
    std::array<std::unique_ptr<Cell>, std::size(kModels)> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Entry& entry = kModels[i];
      all[i] = std::make_unique<Cell>(std::string(entry.model.name), entry.kind, entry.most_children);
      entry.describe(*all[i]);
    }
    return all;
  }();
  return *cells[static_cast<std::size_t>(model)];
}

}  // namespace brickwork
