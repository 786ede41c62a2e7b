// Softmax and cross-entropy on the host: a row goes through the caches once, whatever it gives.
#pragma once
#include <cstdint>

#include "kernels/base/aligned_buffer.hpp"
#include "primitives/elementwise/elementwise_plan.hpp"
#include "primitives/softmax_loss/op/softmax_loss_ops.hpp"

namespace brickwork {

class SoftmaxLoss {
 public:
  SoftmaxLoss(const SoftmaxLossProblem&, const ElementwisePlan&);

  // The mean loss, and where dlogits is not null its gradient by the logits, which must lie elsewhere than they. Its
  // bits are the same on any number of threads. Throws std::invalid_argument with one sentence where a label is none of
  // the classes; then nothing was written. Not by two threads at once.
  float run(const float* logits, const std::int32_t* labels, float* dlogits);

 private:
  void run_rows(std::int64_t first, std::int64_t end, const float* logits, const std::int32_t* labels, float* dlogits,
                float* scratch);

  SoftmaxLossProblem problem_;
  ElementwisePlan plan_;
  AlignedBuffer<double> losses_;  // of each row
};

}  // namespace brickwork
