// A recursive cell as a module of PyTorch: its expressions as operators on a batch of nodes, with one linear layer for
// all gates that take the same operands.
#pragma once
#include <torch/torch.h>

#include <vector>

#include "baselines/recursive/product_groups.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork::pytorch {

// Nodes that are computed together, all leaves or none. Values of nodes are [nodes][H], of edges [edges][H]; matrices
// have one more dimension H.
class NodeBatch {
 public:
  virtual ~NodeBatch() = default;
  virtual bool leaves() const = 0;
  virtual std::size_t number(bool among_leaves) const = 0;      // of the batch, among all batches or those of leaves
  virtual at::Tensor child(int state, int position) const = 0;  // zeros where there is none
  virtual at::Tensor each_child(int state) const = 0;
  virtual at::Tensor sum_of_children(const at::Tensor& of_edges) const = 0;
  virtual at::Tensor for_edges(const at::Tensor& of_nodes) const = 0;  // each node's value for its edges
};

// The batches of a run.
class Batches {
 public:
  virtual ~Batches() = default;
  virtual at::Tensor ordered(const at::Tensor& rows, bool of_leaves) const = 0;  // as batches are numbered
  virtual std::vector<at::Tensor> parts(const at::Tensor& ordered, bool of_leaves) const = 0;  // by batch
};

class CellModule {
 public:
  CellModule(const Cell&, std::int64_t H, const PlainTensors& in, bool training);

  void pack();
  void begin(const Batches&);                           // a run; makes the products of inputs alone
  std::vector<at::Tensor> states_of(const NodeBatch&);  // after those of the children

  std::vector<at::Tensor> parameters() const;  // after pack(): what gradients are taken of
  void unpack(const std::vector<at::Tensor>& gradients, PlainTensors& out) const;

 private:
  using Numbers = std::vector<int>;
  // Tensors of the operation side by side: inputs, weights or a bias. A layer's weights are [outputs][inputs], as in
  // torch.nn.Linear: a transposed weight for each sum and operand.
  struct Parameter {
    enum class Kind { inputs, weights, bias } kind;
    std::vector<Numbers> which;
    at::Tensor values = {};
  };
  // Inputs side by side, or their products with weights.
  struct Rows {
    Numbers expressions;
    std::size_t inputs;
    int weights = -1;                    // a parameter
    std::vector<at::Tensor> parts = {};  // of batches
  };
  // A group of products, as leaves or as inner nodes compute it.
  struct Layer {
    int weights = -1;  // a parameter
    int rows = -1;     // that each sum adds
    Numbers biases;    // of each sum; empty if there are none
    at::Tensor bias = {};
    std::vector<at::Tensor> sums = {};  // of the batch
  };
  struct Program {
    ProductGroups found;
    Numbers needed;
    std::vector<Layer> layers;
  };

  Program program(bool leaf);
  std::size_t parameter(Parameter::Kind, std::vector<Numbers> which);
  int rows_of(const Numbers& expressions);
  bool is_of_input(const ExprNode&) const;
  bool is_of_leaves(const Rows&) const;
  int input_of(int e) const;
  at::Tensor block(Parameter::Kind, const PlainTensors&, int which, bool gradient) const;
  const at::Tensor& values_of(int parameter) const { return parameters_[static_cast<std::size_t>(parameter)].values; }
  const at::Tensor& value(int e) const { return values_[static_cast<std::size_t>(e)]; }
  const at::Tensor& rows(int number, const NodeBatch&) const;
  at::Tensor evaluate(int e, Program&, const NodeBatch&);
  at::Tensor evaluate_sum(int e, Program&, const NodeBatch&);
  std::vector<at::Tensor> sums(const ProductGroup&, const Layer&, const NodeBatch&) const;
  at::Tensor evaluate_elements(const ExprNode&, const NodeBatch&) const;

  const Cell& cell_;
  const ExprGraph& graph_;
  const std::int64_t H_;
  const PlainTensors& in_;
  const bool training_;
  std::vector<Parameter> parameters_;
  std::vector<Rows> rows_;
  std::vector<std::size_t> biases_;  // parameters
  Program inner_, leaves_;
  std::vector<at::Tensor> values_;  // of the batch, by expression
};

}  // namespace brickwork::pytorch
