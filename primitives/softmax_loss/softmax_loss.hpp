// Softmax with cross-entropy loss on the host, with or without its gradient. A row goes through the caches once.
#pragma once
#include <cstdint>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/elementwise/elementwise_plan.hpp"
#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"

namespace brickwork {

class SoftmaxLoss {
 public:
  SoftmaxLoss(const SoftmaxLossProblem&, const ElementwisePlan&);

  // Returns the mean loss and writes its gradient by the logits to dlogits, if that is not null; dlogits must not
  // overlap the logits. The bits are the same on any number of threads. Throws std::invalid_argument with one sentence
  // if a label is not one of the classes; then nothing is written. Two threads must not call this at once.
  float run(const float* logits, const std::int32_t* labels, float* dlogits);

 private:
  void run_rows(std::int64_t first, std::int64_t end, const float* logits, const std::int32_t* labels, float* dlogits,
                float* scratch);

  SoftmaxLossProblem problem_;
  ElementwisePlan plan_;
  AlignedBuffer<double> losses_;  // of each row
};

}  // namespace brickwork
