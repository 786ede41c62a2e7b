// The gradients of a recursive cell by oneDNN: the levels in reverse order, one matmul for the operands of each
// product, and at the end one matmul for the weights of each product over all nodes.
#pragma once
#include <string>
#include <vector>

#include "baselines/onednn/level_gradients.hpp"
#include "baselines/onednn/level_updates.hpp"
#include "baselines/onednn/recursive_forward.hpp"

namespace brickwork::onednn {

class RecursiveBackward {
 public:
  // After a run of `forward`, which must have kept its values.
  RecursiveBackward(const Context&, const RecursiveSetting&, const RecursiveForward& forward, const PlainTensors& in);

  void pack();
  void run();
  void unpack(PlainTensors& gradients) const;

 private:
  using Buffer = AlignedBuffer<float>;

  struct BoundGradient {
    const GradientElement* element;
    RowsAt to, from, value;
    RowsAt row, d_matrix;  // of a product of a row with a matrix
  };
  // A bias that elements add: its gradient is the sum of rows, one for each node.
  struct BiasRows {
    int bias;
    Buffer rows, sum;
  };

  void make(Part, const std::vector<int>& inputs);
  LevelMatmul::Sizes sizes(const ProductGroup&, bool adds) const;
  void run(Part, const Level&);
  void begin(const Level&);
  void run(const BoundGradient&, const NodeAt&) const;
  void run(const BoundGradient&, const NodeAt&, std::int64_t edge) const;
  RowsAt at(Part, const Ref&, const Level&) const;

  Context context_;
  const RecursiveSetting& setting_;
  const RecursiveForward& forward_;
  const PlainTensors& in_;
  std::vector<const float*> upstream_;
  GradientSteps steps_[2];
  std::vector<LevelMatmul> outside_matmuls_, matmuls_[2];  // the gradients of operands
  LevelMemory memory_[2];
  std::vector<Buffer> d_inputs_, d_outside_;
  std::vector<BiasRows> biases_[2];
  std::vector<Buffer> d_states_, d_children_;  // of a level's nodes; of all edges: of the child's states
  std::vector<LevelUpdate> updates_;
  std::vector<BoundGradient> elements_;
};

}  // namespace brickwork::onednn
