// Recurrent layers on a GPU: the bodies of rnn_forward_body.hpp and rnn_backward_body.hpp around the portable bricks.
//
// A step is a launch, or two of a GRU. Work goes into the setting's stream and is not waited for: before anything is
// fetched, cuda_finish() does.
#pragma once
#include "cuda_setting.hpp"
#include "rnn/rnn_place.hpp"

namespace brickwork {

class RnnOnCuda final : public RnnPlace {
 public:
  explicit RnnOnCuda(const CudaSetting& setting) : setting_(setting) {}

  // Refused where the setting is of tensor cores or warpgroups.
  Result<std::shared_ptr<const RnnForwardPass>> forward(const RnnForwardGeometry&) const override;
  Result<std::shared_ptr<const RnnBackwardPass>> backward(const RnnBackwardGeometry&) const override;
  std::int64_t workers(std::int64_t tasks) const override { return tasks; }
  // Throws OutOfCudaMemory.
  std::unique_ptr<MemoryElsewhere> memory(std::size_t bytes) const override;

 private:
  CudaSetting setting_;
};

}  // namespace brickwork
