// The gradients of a product's weights and biases: sums over all its rows.
#pragma once
#include "baselines/onednn/level_program.hpp"
#include "baselines/onednn/onednn_tensor.hpp"
#include "primitives/op/plain_tensors.hpp"

namespace brickwork::onednn {

// to [columns] = the sum of the rows
void sum_rows(const float* rows, std::int64_t count, std::int64_t columns, int threads, float* to);

class LevelUpdate {
 public:
  // `operands` is [rows][H for each operand], `gradients` [rows][H for each sum].
  LevelUpdate(const Context&, const ProductGroup&, std::int64_t H, std::int64_t rows, const float* operands,
              const float* gradients);

  void run(int threads);
  void add_to(const Cell&, PlainTensors& gradients) const;

 private:
  Context context_;
  const ProductGroup* product_;
  std::int64_t H_, rows_;
  dnnl::matmul matmul_;
  dnnl::memory operands_, gradients_;
  Tensor weights_, scratchpad_;  // weights [H for each operand][H for each sum]
  AlignedBuffer<float> bias_;
};

}  // namespace brickwork::onednn
